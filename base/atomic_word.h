// AtomicWord: atomic access to a word that lies in plain memory. It is std::atomic_ref where the
// standard library has that; libc++ has it from version 19 on.
#pragma once
#include <atomic>
#include <cstdint>

namespace tern {

#ifdef __cpp_lib_atomic_ref

using AtomicWord = std::atomic_ref<uint32_t>;

#else

class AtomicWord {
  public:
    explicit AtomicWord(uint32_t &word) : _word(word) {}
    uint32_t load(std::memory_order order = std::memory_order_seq_cst) const
    {
        return __atomic_load_n(&_word, static_cast<int>(order));
    }
    void store(uint32_t value, std::memory_order order = std::memory_order_seq_cst) const
    {
        __atomic_store_n(&_word, value, static_cast<int>(order));
    }
    uint32_t exchange(uint32_t value) const
    {
        return __atomic_exchange_n(&_word, value, __ATOMIC_SEQ_CST);
    }
    bool compare_exchange_strong(uint32_t &expected, uint32_t value, std::memory_order order) const
    {
        return __atomic_compare_exchange_n(&_word, &expected, value, false, static_cast<int>(order),
                                           __ATOMIC_ACQUIRE);
    }

  private:
    uint32_t &_word;
};

#endif

}
