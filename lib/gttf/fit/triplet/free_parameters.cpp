// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/triplet/free_parameters.hpp"

#include <algorithm>
#include <utility>

namespace gttf::detail {

void FreeParameters::add(std::size_t begin, std::size_t end,
                         const SegmentErrorColumns* errors) {
  for (std::size_t hit = end; hit-- > begin && determined_;) {
    add_coordinate(hit, errors);
    if (hit < system_->rows.size()) add_triplet(hit, errors);
    if (n_ > most) separate_one();
  }
}

void FreeParameters::add_coordinate(std::size_t hit,
                                    const SegmentErrorColumns* errors) {
  hits_[2] = hits_[1];
  hits_[1] = hits_[0];
  hits_[0] = {};
  if (!system_->hits[hit].unmeasured) return;
  const int own = n_++;
  const auto of_column = static_cast<std::size_t>(own);
  for (Row* row : {&hits_[1], &hits_[2], &rows_[0][0], &rows_[0][1],
                   &rows_[1][0], &rows_[1][1]})
    (*row)[of_column] = Wide(0);
  hits_[0][of_column] = Wide(1);
  for (int i = 0; i < n_columns; ++i) information(own, i) = Wide(0);
  before_[own] = Wide(0);
  // the error of this coordinate is the coordinate itself
  if (errors && (hit == errors->segment || hit == errors->segment + 1))
    information(own, first_function + (hit == errors->segment ? 1 : 3)) =
        Wide(-1);
}

void FreeParameters::add_triplet(std::size_t triplet,
                                 const SegmentErrorColumns* errors) {
  const KinkRows<Wide>& t = system_->rows[triplet];
  const auto& step = (*steps_)[triplet];
  Wide column[n_columns][2], weighted[n_columns][2];
  int used[n_columns];
  int n_used = 0;
  for (int i = 0; i < n_; ++i) {
    const auto of_column = static_cast<std::size_t>(i);
    Wide(&x)[2] = column[i];
    for (std::size_t r = 0; r < 2; ++r) {
      x[r] = Wide(0);
      for (std::size_t h = 0; h < 3; ++h)
        if (system_->hits[triplet + h].unmeasured)
          x[r] += t.shift[h][r][1] * hits_[h][of_column];
      for (std::size_t c = 0; c < 2; ++c)
        x[r] -= step.near.own[r][c] * rows_[0][c][of_column] +
                step.far[r][c] * rows_[1][c][of_column];
    }
    x[1] -= step.pivots.lower * x[0];
    used[n_used++] = i;
  }
  if (fit_kappa_) {
    for (std::size_t r = 0; r < 2; ++r) column[kappa][r] = step.a[r];
    used[n_used++] = kappa;
  }
  if (errors && triplet < errors->segment + 2)
    for (int i = 0; i < n_errors; ++i) {
      for (std::size_t r = 0; r < 2; ++r)
        column[first_function + i][r] = errors->columns[triplet][i][r];
      used[n_used++] = first_function + i;
    }
  for (int i = 0; i < n_used; ++i) {
    const int own = used[i];
    weight(step.pivots, column[own], weighted[own]);
    // products of functions are not needed here
    if (own > kappa) continue;
    for (int k = i; k < n_used; ++k)
      add_dot(weighted[own], column[used[k]], information(own, used[k]));
    add_dot(weighted[own], column[own], before_[own]);
  }
  for (std::size_t r = 0; r < 2; ++r) {
    rows_[1][r] = rows_[0][r];
    for (int i = 0; i < n_; ++i)
      rows_[0][r][static_cast<std::size_t>(i)] = column[i][r];
  }
}

/// Replaces the coordinates x of the other columns by x_i + c_i x_w, with which
/// no further row depends on x_w, and eliminates x_w.
void FreeParameters::separate_one() {
  const Row* const rows[most] = {&rows_[0][0], &rows_[0][1], &rows_[1][0],
                                 &rows_[1][1], &hits_[0],    &hits_[1]};
  Row m[most];
  std::array<int, most + 1> order{};
  for (int i = 0; i <= most; ++i) order[static_cast<std::size_t>(i)] = i;
  for (std::size_t r = 0; r < most; ++r) m[r] = *rows[r];
  std::size_t rank = 0;
  for (; rank < most; ++rank) {
    std::size_t row = rank, column = rank;
    for (std::size_t r = rank; r < most; ++r)
      for (std::size_t c = rank; c <= most; ++c)
        if (abs(m[r][c]) > abs(m[row][column])) {
          row = r;
          column = c;
        }
    if (!(abs(m[row][column]) > Wide(0))) break;
    std::swap(m[rank], m[row]);
    for (Row& any : m) std::swap(any[rank], any[column]);
    std::swap(order[rank], order[column]);
    for (std::size_t r = rank + 1; r < most; ++r) {
      const Wide factor = m[r][rank] / m[rank][rank];
      for (std::size_t c = rank + 1; c <= most; ++c)
        m[r][c] -= factor * m[rank][c];
    }
  }
  const int w = order[most];
  Row share{};
  for (std::size_t i = rank; i-- > 0;) {
    Wide x = m[i][most];
    for (std::size_t k = i + 1; k < rank; ++k) x -= m[i][k] * share[k];
    share[i] = x / m[i][i];
  }
  Wide changed[n_columns];
  for (int k = 0; k < n_columns; ++k) {
    changed[k] = information(w, k);
    for (std::size_t i = 0; i < rank; ++i)
      changed[k] -= share[i] * information(order[i], k);
  }
  for (std::size_t i = 0; i < rank; ++i) {
    changed[w] -= share[i] * changed[order[i]];
    before_[w] += share[i] * share[i] * before_[order[i]];
  }
  for (int k = 0; k < n_columns; ++k) information(w, k) = changed[k];
  eliminate(w);
  remove(w);
}

void FreeParameters::eliminate(int column) {
  const Wide pivot = information(column, column);
  if (!(pivot > Wide(rounding_) * before_[column])) {
    determined_ = false;
    return;
  }
  const Wide inverse = Wide(1) / pivot;
  for (int i = 0; i < n_columns; ++i) {
    const bool is_left = i < n_ || i >= kappa;
    if (!is_left || i == column || information(column, i) == Wide(0)) continue;
    const Wide factor = information(column, i) * inverse;
    for (int k = 0; k <= i; ++k)
      if ((k < n_ || k >= kappa) && k != column)
        information(i, k) -= factor * information(column, k);
  }
}

void FreeParameters::remove(int column) {
  const int last = --n_;
  if (column == last) return;
  const auto to = static_cast<std::size_t>(column),
             from = static_cast<std::size_t>(last);
  for (Row* row : {&hits_[0], &hits_[1], &hits_[2], &rows_[0][0], &rows_[0][1],
                   &rows_[1][0], &rows_[1][1]})
    (*row)[to] = (*row)[from];
  information(column, column) = information(last, last);
  for (int k = 0; k < n_columns; ++k)
    if (k != column && k != last) information(column, k) = information(last, k);
  before_[column] = before_[last];
}

bool FreeParameters::finish() {
  while (n_ > 0 && determined_) {
    eliminate(n_ - 1);
    remove(n_ - 1);
  }
  if (!fit_kappa_ || !determined_) return determined_;
  information(kappa, first_function + n_errors) = Wide(-1);
  eliminate(kappa);
  return determined_;
}

WideBlock<n_errors + 1, n_errors + 1> FreeParameters::covariance() const {
  WideBlock<n_errors + 1, n_errors + 1> c;
  for (int i = 0; i <= n_errors; ++i)
    for (int k = 0; k <= i; ++k) {
      const Wide& x = information_[first_function + i][first_function + k];
      c(i, k) = c(k, i) = -x;
    }
  return c;
}

}  // namespace gttf::detail
