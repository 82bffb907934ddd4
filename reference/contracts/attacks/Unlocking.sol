// SPDX-License-Identifier: MIT
pragma solidity ^0.8.34;

interface IUnlocked {
    function unlockCallback(bytes calldata data) external returns (bytes memory);
}

interface IManager {
    function unlock(bytes calldata data) external returns (bytes memory);
}

interface ITaken {
    function transfer(address to, uint256 amount) external returns (bool);
}

/// Makes calls of the attacker's choice whenever it is reached, and remembers which of them went through.
contract Striker {
    struct Strike {
        address target;
        uint256 value;
        bytes input;
    }

    Strike[] private _strikes;
    bool private _isStriking;
    /// A bit for each strike, set once it went through.
    uint256 public landed;
    /// How often it struck.
    uint256 public rounds;

    function arm(Strike[] calldata strikes) external {
        delete _strikes;
        for (uint256 i; i < strikes.length; ++i) _strikes.push(strikes[i]);
        (landed, rounds) = (0, 0);
    }

    /// Strikes inside a lock of its own.
    function lock(IManager manager) external {
        manager.unlock("");
    }

    function unlockCallback(bytes calldata) external returns (bytes memory) {
        strike();
        return "";
    }

    function strike() public {
        if (_isStriking) return;
        _isStriking = true;
        ++rounds;
        for (uint256 i; i < _strikes.length; ++i) {
            Strike memory each = _strikes[i];
            (bool done,) = each.target.call{value: each.value}(each.input);
            if (done) landed |= 1 << i;
        }
        _isStriking = false;
    }

    receive() external payable {
        strike();
    }

    fallback() external payable {
        strike();
    }
}

/// A manager that does not keep its word: what it calls back with, how often, and through whom.
contract HostileManager {
    enum Habit {
        HONEST,
        SILENT,
        TWICE,
        FORGED,
        RELAYED
    }

    Habit public immutable habit;
    bytes public forged;

    constructor(Habit habit_, bytes memory forged_) {
        (habit, forged) = (habit_, forged_);
    }

    function unlock(bytes calldata data) external returns (bytes memory) {
        if (habit == Habit.SILENT) return "";
        if (habit == Habit.RELAYED) {
            new Relay(IUnlocked(msg.sender), data);
            return "";
        }
        bytes memory handed = data;
        if (habit == Habit.FORGED) handed = forged;
        IUnlocked(msg.sender).unlockCallback(handed);
        if (habit == Habit.TWICE) IUnlocked(msg.sender).unlockCallback(data);
        return "";
    }

    struct Key {
        address currency0;
        address currency1;
        uint24 fee;
        int24 tickSpacing;
        address hooks;
    }

    struct Params {
        bool zeroForOne;
        int256 amountSpecified;
        uint160 sqrtPriceLimitX96;
    }

    /// At a price of one.
    function swap(Key calldata, Params calldata params, bytes calldata) external pure returns (int256) {
        int256 amount = params.amountSpecified;
        int256 size = amount < 0 ? -amount : amount;
        (int256 delta0, int256 delta1) = params.zeroForOne ? (-size, size) : (size, -size);
        return (delta0 << 128) | int256(uint256(uint128(int128(delta1))));
    }

    function sync(address) external {}

    function settle() external payable returns (uint256) {}

    function take(address currency, address to, uint256 amount) external {
        ITaken(currency).transfer(to, amount);
    }
}

/// Calls back in the place of the manager.
contract Relay {
    constructor(IUnlocked router, bytes memory data) {
        router.unlockCallback(data);
    }
}
