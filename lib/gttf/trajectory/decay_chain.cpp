// SPDX-License-Identifier: Apache-2.0
#include "gttf/trajectory/decay_chain.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <utility>

#include "gttf/config/quantity.hpp"
#include "gttf/config/text.hpp"
#include "gttf/core/units.hpp"
#include "gttf/trajectory/track.hpp"

namespace gttf {
namespace {

/// An unstable particle; the antiparticle of a charged one has the other sign.
struct Unstable {
  std::string_view name, aka;
  double mass;  ///< GeV [PDG24]
  double charge;
};

constexpr std::array unstable = {
    Unstable{"B0", "B_0", 5.27972, 0},
    Unstable{"B+", "B_+", 5.27941, 1},
    Unstable{"B_s0", "Bs", 5.36693, 0},
    Unstable{"B_c+", "Bc+", 6.27447, 1},
    Unstable{"Lambda_b0", "Lb", 5.61957, 0},
    Unstable{"D0", "D_0", 1.86484, 0},
    Unstable{"D+", "D_+", 1.86966, 1},
    Unstable{"D_s+", "Ds+", 1.96835, 1},
    Unstable{"D*+", "D*(2010)+", 2.01026, 1},
    Unstable{"Lambda_c+", "Lc+", 2.28646, 1},
    Unstable{"J/psi", "Jpsi", 3.096900, 0},
    Unstable{"psi(2S)", "psi2S", 3.68610, 0},
    Unstable{"Upsilon", "Upsilon(1S)", 9.46040, 0},
    Unstable{"Upsilon(2S)", "Y(2S)", 10.0234, 0},
    Unstable{"Upsilon(3S)", "Y(3S)", 10.3551, 0},
    Unstable{"Z", "Z0", 91.1880, 0},
    Unstable{"H", "H0", 125.20, 0},
    Unstable{"phi", "phi(1020)", 1.019460, 0},
    Unstable{"K*0", "K*(892)0", 0.89555, 0},
    Unstable{"rho0", "rho(770)0", 0.77526, 0},
    Unstable{"K_S0", "KS", 0.497611, 0},
    Unstable{"Lambda", "Lambda0", 1.115683, 0},
    Unstable{"Xi-", "Xi_-", 1.32171, -1},
    Unstable{"Omega-", "Omega_-", 1.67245, -1},
    Unstable{"tau-", "tau_-", 1.77693, -1},
};

/// The name with the other sign of the charge.
std::string conjugate(std::string_view name) {
  std::string other(name);
  char& sign = other.back();
  sign = sign == '+' ? '-' : '+';
  return other;
}

std::optional<std::pair<double, double>> mass_and_charge(
    std::string_view name) {
  for (const Unstable& u : unstable)
    for (const std::string_view known : {u.name, u.aka}) {
      if (name == known) return std::pair{u.mass, u.charge};
      if (u.charge != 0 && name == conjugate(known))
        return std::pair{u.mass, -u.charge};
    }
  return std::nullopt;
}

/// Reads the text from left to right; the first error is kept.
class DecayReader {
 public:
  DecayReader(std::string_view text, DecayError& error)
      : text_(text), error_(error) {}

  std::optional<DecayParticle> read() {
    auto decay = read_decay();
    if (!decay) return std::nullopt;
    skip_spaces();
    if (at_ < text_.size()) {
      fail(at_,
           fmt::format("unexpected {} after the decay",
                       in_quotes(text_.substr(at_))),
           "close each \"(\" once");
      return std::nullopt;
    }
    return decay;
  }

 private:
  static constexpr std::string_view example = "B_s0 -> mu+ mu-";

  void fail(std::size_t position, std::string problem, std::string suggestion) {
    error_ = {std::move(problem), std::move(suggestion), position};
  }

  void skip_spaces() {
    while (at_ < text_.size() &&
           std::isspace(static_cast<unsigned char>(text_[at_])) != 0)
      ++at_;
  }

  bool take(std::string_view word) {
    skip_spaces();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  /// A name ends at a space, an arrow, a bracket, or a parenthesis that it has
  /// not opened itself: "K*(892)0" is one.
  std::string_view take_name() {
    skip_spaces();
    const std::size_t begin = at_;
    int open = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (std::isspace(static_cast<unsigned char>(c)) != 0 || c == '[') break;
      if (c == '-' && text_.substr(at_, 2) == "->") break;
      if (c == '(' && at_ == begin) break;
      open += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (open < 0) break;
    }
    return text_.substr(begin, at_ - begin);
  }

  /// A name with its mass in brackets, if there is one.
  std::optional<DecayParticle> read_particle(bool decays) {
    skip_spaces();
    const std::size_t begin = at_;
    const std::string_view name = take_name();
    if (name.empty()) {
      fail(begin, "a particle is missing",
           fmt::format("write \"{}\"", example));
      return std::nullopt;
    }
    DecayParticle particle{std::string(name)};
    const auto known = mass_and_charge(name);
    const auto stable = find_particle(name);
    if (decays && known) {
      std::tie(particle.mass, particle.charge) = *known;
    } else if (!decays && stable) {
      if (!names_charge(name) && stable->charge < 0) {
        fail(begin, fmt::format("the charge of {} is missing", in_quotes(name)),
             fmt::format("write \"{0}+\" or \"{0}-\"", name));
        return std::nullopt;
      }
      particle.mass = stable->mass;
      particle.charge = stable->charge;
    } else if (!decays) {
      fail(begin,
           known
               ? fmt::format("{} does not reach the detector", in_quotes(name))
               : fmt::format("{} is not a charged particle that is known",
                             in_quotes(name)),
           known ? fmt::format("add its decay, as in \"({} -> K+ K-)\"", name)
                 : "write e+, mu-, pi+, K-, proton, ...; neutral products are "
                   "not measured");
      return std::nullopt;
    }
    if (take("[")) return read_mass(begin, std::move(particle));
    if (decays && !known) {
      const auto near = nearest(name, unstable_names());
      fail(begin, fmt::format("the mass of {} is not known", in_quotes(name)),
           near ? fmt::format("did you mean \"{}\"? Or add the mass, as in "
                              "\"{}[50 GeV]\"",
                              *near, name)
                : fmt::format("add it, as in \"{}[50 GeV]\"", name));
      return std::nullopt;
    }
    return particle;
  }

  std::optional<DecayParticle> read_mass(std::size_t begin,
                                         DecayParticle particle) {
    const std::size_t end = text_.find(']', at_);
    if (end == std::string_view::npos) {
      fail(begin, "\"[\" is not closed", "write the mass as in \"[50 GeV]\"");
      return std::nullopt;
    }
    const std::string_view text = text_.substr(at_, end - at_);
    const Parsed<double> mass = parse_quantity(text, Dimension::energy, "GeV");
    if (!mass) {
      fail(at_ + mass.offset, mass.problem, mass.suggestion);
      return std::nullopt;
    }
    if (!(mass.value >= 0)) {
      fail(at_, "a mass is not negative",
           "write a number with its unit, as in \"[50 GeV]\"");
      return std::nullopt;
    }
    particle.mass = mass.value;
    particle.charge = particle.name.ends_with('+')   ? 1
                      : particle.name.ends_with('-') ? -1
                      : particle.name.ends_with('0') ? 0
                                                     : particle.charge;
    at_ = end + 1;
    return particle;
  }

  std::optional<DecayParticle> read_decay() {
    skip_spaces();
    const std::size_t begin = at_;
    auto parent = read_particle(true);
    if (!parent) return std::nullopt;
    if (!take("->")) {
      fail(at_, "\"->\" is missing", fmt::format("write \"{}\"", example));
      return std::nullopt;
    }
    double charge = 0, mass = 0;
    for (skip_spaces(); at_ < text_.size() && text_[at_] != ')';
         skip_spaces()) {
      const bool decays = take("(");
      auto product = decays ? read_decay() : read_particle(false);
      if (!product) return std::nullopt;
      if (decays && !take(")")) {
        fail(at_, "\")\" is missing",
             "write a decay of a product as in \"(phi -> K+ K-)\"");
        return std::nullopt;
      }
      charge += product->charge;
      mass += product->mass;
      parent->products.push_back(std::move(*product));
    }
    if (parent->products.size() < 2) {
      fail(at_,
           fmt::format("{} decays to fewer than two particles",
                       in_quotes(parent->name)),
           fmt::format("write \"{}\"", example));
      return std::nullopt;
    }
    if (charge != parent->charge) {
      fail(begin,
           fmt::format("{} has charge {:+g}, its products {:+g}",
                       in_quotes(parent->name), parent->charge, charge),
           "charge is conserved");
      return std::nullopt;
    }
    if (!(mass < parent->mass)) {
      fail(begin,
           fmt::format("{} has {:.6g} GeV, its products {:.6g} GeV",
                       in_quotes(parent->name), parent->mass, mass),
           "the products must be lighter");
      return std::nullopt;
    }
    return parent;
  }

  std::string_view text_;
  DecayError& error_;
  std::size_t at_ = 0;
};

struct FourMomentum {
  Vector3 p = Vector3::Zero();
  double e = 0;
};

/// From the rest frame of `parent` to the frame where it has its momentum.
FourMomentum boosted(const FourMomentum& x, const FourMomentum& parent,
                     double mass) {
  const double along = parent.p.dot(x.p);
  const double e = (parent.e * x.e + along) / mass;
  return {x.p + parent.p * ((x.e + e) / (parent.e + mass)), e};
}

/// Momentum of both products of a decay at rest, GeV; products as factors, so
/// that near the threshold nothing cancels.
double break_up(double mass, double a, double b) {
  const double square =
      (mass - a - b) * (mass + a + b) * (mass - a + b) * (mass + a - b);
  return std::sqrt(std::max(0.0, square)) / (2 * mass);
}

class Configuration {
 public:
  Configuration(std::span<const double> uniform, DecayConfiguration& result)
      : uniform_(uniform), result_(result) {}

  void decay(const DecayParticle& parent, const FourMomentum& momentum) {
    const std::size_t n = parent.products.size();
    // masses of the systems of the first 2, 3, ..., n products
    std::vector<double> system(n);
    std::vector<double> share(n - 2);
    for (double& x : share) x = next();
    std::ranges::sort(share);
    double sum = 0;
    for (const DecayParticle& product : parent.products) sum += product.mass;
    const double spare = parent.mass - sum;
    double lightest = 0;
    for (std::size_t k = 0; k < n; ++k) {
      lightest += parent.products[k].mass;
      system[k] = lightest + spare * (k == 0       ? 0
                                      : k == n - 1 ? 1
                                                   : share[k - 1]);
    }
    FourMomentum whole = momentum;
    for (std::size_t k = n - 1; k > 0; --k) {
      const double mass = system[k], rest = system[k - 1];
      const double last = parent.products[k].mass;
      const double p = break_up(mass, rest, last);
      if (n > 2) result_.weight *= p;
      const Vector3 along = direction();
      const auto one = [&](double m, const Vector3& d) {
        return boosted({p * d, std::sqrt(p * p + m * m)}, whole, mass);
      };
      place(parent.products[k], one(last, along));
      const FourMomentum others = one(rest, -along);
      if (k == 1)
        place(parent.products[0], others);
      else
        whole = others;
    }
  }

  /// The momenta in the order of the text: systems are split from the end.
  void finish(const DecayParticle& decay) {
    for (const DecayParticle* product : measured_products(decay))
      for (const auto& [particle, p] : found_)
        if (particle == product) result_.momenta.push_back(p);
  }

 private:
  double next() { return uniform_[used_++]; }

  Vector3 direction() {
    const double cosine = 2 * next() - 1, phi = 2 * unit::pi * next();
    const double sine = std::sqrt(std::max(0.0, 1 - cosine * cosine));
    return {sine * std::cos(phi), sine * std::sin(phi), cosine};
  }

  void place(const DecayParticle& particle, const FourMomentum& momentum) {
    if (particle.products.empty())
      found_.emplace_back(&particle, momentum.p);
    else
      decay(particle, momentum);
  }

  std::span<const double> uniform_;
  DecayConfiguration& result_;
  std::size_t used_ = 0;
  std::vector<std::pair<const DecayParticle*, Vector3>> found_;
};

void add_measured(const DecayParticle& particle,
                  std::vector<const DecayParticle*>& list) {
  for (const DecayParticle& product : particle.products)
    if (product.products.empty())
      list.push_back(&product);
    else
      add_measured(product, list);
}

}  // namespace

std::optional<DecayParticle> parse_decay(std::string_view text,
                                         DecayError& error) {
  return DecayReader(text, error).read();
}

std::string to_string(const DecayParticle& decay) {
  std::string text = decay.name + " ->";
  for (const DecayParticle& product : decay.products)
    text += product.products.empty() ? ' ' + product.name
                                     : " (" + to_string(product) + ')';
  return text;
}

std::vector<std::string> unstable_names() {
  std::vector<std::string> names;
  for (const Unstable& u : unstable) names.emplace_back(u.name);
  return names;
}

std::vector<const DecayParticle*> measured_products(
    const DecayParticle& decay) {
  std::vector<const DecayParticle*> list;
  add_measured(decay, list);
  return list;
}

std::size_t decay_dimensions(const DecayParticle& decay) {
  if (decay.products.empty()) return 0;
  const std::size_t n = decay.products.size();
  std::size_t dimensions = n - 2 + 2 * (n - 1);
  for (const DecayParticle& product : decay.products)
    dimensions += decay_dimensions(product);
  return dimensions;
}

DecayConfiguration decay_configuration(const DecayParticle& decay,
                                       const Vector3& momentum,
                                       std::span<const double> uniform) {
  DecayConfiguration result;
  Configuration steps(uniform, result);
  steps.decay(decay, {momentum, std::sqrt(momentum.squaredNorm() +
                                          decay.mass * decay.mass)});
  steps.finish(decay);
  return result;
}

void even_point(std::size_t index, std::span<double> point) {
  const auto d = static_cast<double>(point.size());
  double g = 2;
  for (int step = 0; step < 60; ++step) g = std::pow(1 + g, 1 / (d + 1));
  double factor = 1;
  for (double& x : point) {
    factor /= g;
    const double value = 0.5 + factor * static_cast<double>(index + 1);
    x = value - std::floor(value);
  }
}

}  // namespace gttf
