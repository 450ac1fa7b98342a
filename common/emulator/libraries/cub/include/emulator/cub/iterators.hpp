// SPDX-License-Identifier: MIT
// CUB's iterators. An iterator is a pointer, or something that is computed.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <emulator/cub/operators.hpp>
#include <iterator>
#include <type_traits>

namespace emulator {

// What iterators of any kind have in common: a position, from which the item is computed.
template <class Iterator, class T, class Offset>
class ComputedIterator {
  public:
    using value_type = T;
    using difference_type = Offset;
    using reference = T;
    using pointer = const T*;
    using iterator_category = std::random_access_iterator_tag;

    T operator*() const { return self().at(position_); }
    T operator[](Offset i) const { return self().at(position_ + i); }
    Iterator& operator++() { return move(1); }
    Iterator& operator--() { return move(-1); }
    Iterator operator++(int) {
        Iterator before = self();
        move(1);
        return before;
    }
    Iterator& operator+=(Offset steps) { return move(steps); }
    Iterator& operator-=(Offset steps) { return move(-steps); }
    friend Iterator operator+(Iterator it, Offset steps) { return it += steps; }
    friend Iterator operator-(Iterator it, Offset steps) { return it -= steps; }
    friend Offset operator-(const Iterator& a, const Iterator& b) {
        return a.position_ - b.position_;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) {
        return a.position_ == b.position_;
    }

  private:
    friend Iterator;
    const Iterator& self() const { return static_cast<const Iterator&>(*this); }
    Iterator& move(Offset steps) {
        position_ += steps;
        return static_cast<Iterator&>(*this);
    }
    Offset position_ = 0;
};

}  // namespace emulator

namespace cub {

template <class T, class Offset = std::ptrdiff_t>
class CountingInputIterator
    : public emulator::ComputedIterator<CountingInputIterator<T, Offset>, T, Offset> {
  public:
    explicit CountingInputIterator(const T& first) : first_(first) {}
    T at(Offset i) const { return static_cast<T>(first_ + static_cast<T>(i)); }

  private:
    T first_;
};

template <class T, class Offset = std::ptrdiff_t>
class ConstantInputIterator
    : public emulator::ComputedIterator<ConstantInputIterator<T, Offset>, T, Offset> {
  public:
    explicit ConstantInputIterator(T value, Offset = 0) : value_(value) {}
    T at(Offset) const { return value_; }

  private:
    T value_;
};

template <class T, class Operator, class Input, class Offset = std::ptrdiff_t>
class TransformInputIterator
    : public emulator::ComputedIterator<TransformInputIterator<T, Operator, Input, Offset>, T,
                                        Offset> {
  public:
    TransformInputIterator(Input input, Operator transform)
        : input_(input), transform_(transform) {}
    T at(Offset i) const { return transform_(input_[i]); }

  private:
    Input input_;
    Operator transform_;
};

// Pairs of an index and an item.
template <class Input, class Offset = std::ptrdiff_t,
          class T = std::remove_cv_t<std::remove_reference_t<decltype(*std::declval<Input&>())>>>
class ArgIndexInputIterator
    : public emulator::ComputedIterator<ArgIndexInputIterator<Input, Offset, T>,
                                        KeyValuePair<Offset, T>, Offset> {
  public:
    explicit ArgIndexInputIterator(Input input, Offset first = 0) : input_(input), first_(first) {}
    KeyValuePair<Offset, T> at(Offset i) const { return {first_ + i, input_[i]}; }

  private:
    Input input_;
    Offset first_;
};

// Drops what is written.
template <class Offset = std::ptrdiff_t>
class DiscardOutputIterator {
  public:
    struct Nothing {
        template <class T>
        const Nothing& operator=(const T&) const {
            return *this;
        }
    };
    using value_type = void;
    using difference_type = Offset;
    using reference = Nothing;
    using pointer = void;
    using iterator_category = std::output_iterator_tag;

    explicit DiscardOutputIterator(Offset = 0) {}
    Nothing operator*() const { return {}; }
    Nothing operator[](Offset) const { return {}; }
    DiscardOutputIterator& operator++() { return *this; }
    DiscardOutputIterator operator+(Offset) const { return *this; }
};

}  // namespace cub
