// SPDX-License-Identifier: Apache-2.0
// Regimes and triplets of many tracks as arrays.
#include <iterator>

#include "gttf/resolution/batch_regimes.hpp"

namespace gttf {

namespace {

constexpr std::vector<double> TripletArrays::*numbers[] = {
    &TripletArrays::gamma_phi,
    &TripletArrays::gamma_theta,
    &TripletArrays::gamma_phi_theta,
    &TripletArrays::sigma_ms,
    &TripletArrays::b_ms,
    &TripletArrays::mu_phi,
    &TripletArrays::mu_theta,
    &TripletArrays::xi,
    &TripletArrays::xi_ms,
    &TripletArrays::xi_ms_limit,
    &TripletArrays::p_significant};
constexpr double TripletRegime::*numbers_of_one[] = {
    &TripletRegime::gamma_phi,
    &TripletRegime::gamma_theta,
    &TripletRegime::gamma_phi_theta,
    &TripletRegime::sigma_ms,
    &TripletRegime::b_ms,
    &TripletRegime::mu_phi,
    &TripletRegime::mu_theta,
    &TripletRegime::xi,
    &TripletRegime::xi_ms,
    &TripletRegime::xi_ms_limit,
    &TripletRegime::p_significant};

}  // namespace

TripletRegime TripletArrays::operator[](std::size_t i) const {
  TripletRegime t;
  for (std::size_t m = 0; m < std::size(numbers); ++m)
    t.*numbers_of_one[m] = (this->*numbers[m])[i];
  t.layers = layers[i];
  t.recurls = recurls[i] != 0;
  t.arms = arms[i];
  t.length = arms[i][0] + arms[i][1];
  t.regime = regime[i];
  return t;
}

std::vector<TripletRegime> TripletArrays::of_track(std::size_t track) const {
  std::vector<TripletRegime> list;
  for (std::size_t i = begin[track]; i < begin[track + 1]; ++i)
    list.push_back((*this)[i]);
  return list;
}

void TripletArrays::add(const TripletRegime& t) {
  for (std::size_t m = 0; m < std::size(numbers); ++m)
    (this->*numbers[m]).push_back(t.*numbers_of_one[m]);
  layers.push_back(t.layers);
  recurls.push_back(t.recurls);
  arms.push_back(t.arms);
  regime.push_back(t.regime);
}

void TripletArrays::add(const TripletArrays& other, std::size_t from,
                        std::size_t to) {
  const auto copy = [from, to](const auto& source, auto& target) {
    const auto first = source.begin();
    target.insert(target.end(), first + static_cast<std::ptrdiff_t>(from),
                  first + static_cast<std::ptrdiff_t>(to));
  };
  for (const auto member : numbers) copy(other.*member, this->*member);
  copy(other.layers, layers);
  copy(other.recurls, recurls);
  copy(other.arms, arms);
  copy(other.regime, regime);
}

RegimeColumns::RegimeColumns(std::size_t n)
    : mu_phi(n),
      mu_theta(n),
      xi(n),
      xi_ms(n),
      p_significant(n),
      n_hits(n),
      status(n),
      regime(n),
      fit(n),
      biases(n) {}

RegimeArrays RegimeColumns::views() {
  return {mu_phi, mu_theta, xi,     xi_ms, p_significant,
          n_hits, status,   regime, fit,   biases};
}

TrackRegime RegimeColumns::of_track(std::size_t t) const {
  TrackRegime one;
  one.resolution.mu_phi = mu_phi[t];
  one.resolution.mu_theta = mu_theta[t];
  one.resolution.xi = xi[t];
  one.resolution.n_hits = n_hits[t];
  one.resolution.status = status[t];
  one.resolution.regime = regime[t];
  one.xi_ms = xi_ms[t];
  one.p_significant = p_significant[t];
  one.fit = fit[t];
  one.biases = biases[t];
  one.triplets = triplets.of_track(t);
  return one;
}

}  // namespace gttf
