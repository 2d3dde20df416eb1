// Windows and frequencies: values of PyTorch.

#include <gtest/gtest.h>

#include "recorded_rows.h"

namespace litz::ops {
namespace {

TEST(Windows, AreThoseOfPyTorch) {
  expect_recorded({
      {"aten.hann_window", {integer(5)}, {{0, 0.3454915, 0.9045085, 0.9045085, 0.3454914}}},
      {"aten.hann_window.periodic",
       {integer(6), boolean(false)},
       {{0, 0.3454915, 0.9045085, 0.9045085, 0.3454914, 0}}},
      {"aten.hamming_window",
       {integer(5)},
       {{0.08000001, 0.3978522, 0.9121479, 0.9121478, 0.3978521}}},
      {"aten.hamming_window.periodic",
       {integer(6), boolean(false)},
       {{0.08000001, 0.3978522, 0.9121479, 0.9121478, 0.3978521, 0.08000001}}},
      {"aten.blackman_window",
       {integer(5)},
       {{-2.980232e-08, 0.2007701, 0.8492298, 0.8492298, 0.2007701}}},
      {"aten.blackman_window.periodic",
       {integer(6), boolean(false)},
       {{-2.980232e-08, 0.2007701, 0.8492298, 0.8492298, 0.2007701, -2.980232e-08}}},
      {"aten.bartlett_window", {integer(5)}, {{0, 0.4, 0.8, 0.8, 0.4}}},
      {"aten.bartlett_window.periodic", {integer(6), boolean(false)}, {{0, 0.4, 0.8, 0.8, 0.4, 0}}},
      {"aten.kaiser_window",
       {integer(5)},
       {{5.277344e-05, 0.1017197, 0.7929394, 0.7929394, 0.1017197}}},
      {"aten.kaiser_window.periodic",
       {integer(6), boolean(false)},
       {{5.277344e-05, 0.1017197, 0.7929394, 0.7929394, 0.1017197, 5.277344e-05}}},
      {"aten.hamming_window.periodic_alpha",
       {integer(5), boolean(false), number(0.6)},
       {{0.14, 0.6, 1.06, 0.6, 0.14}}},
      {"aten.hamming_window.periodic_alpha_beta",
       {integer(4), boolean(true), number(0.6), number(0.3)},
       {{0.3, 0.6, 0.9, 0.6}}},
      {"aten.kaiser_window.beta",
       {integer(5), boolean(false), number(4.0)},
       {{0.08848053, 0.6334319, 1, 0.6334319, 0.08848053}}},
      {"aten.fft_fftfreq", {integer(5), number(0.5)}, {{0, 0.4, 0.8, -0.8, -0.4}}},
      {"aten.fft_fftfreq", {integer(4)}, {{0, 0.25, -0.5, -0.25}}},
      {"aten.fft_rfftfreq", {integer(5), number(0.5)}, {{0, 0.4, 0.8}}},
      {"aten.fft_rfftfreq", {integer(-1)}, {{0}}},
      {"aten.fft_rfftfreq", {integer(-3)}, {{}}},
  });
}

}  // namespace
}  // namespace litz::ops
