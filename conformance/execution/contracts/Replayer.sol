// SPDX-License-Identifier: MIT
pragma solidity ^0.8.34;

/// One call that a user makes.
struct Call {
    address to;
    uint256 value;
    bytes data;
}

/// What a trade did.
struct Outcome {
    bool success;
    uint256 gasUsed;
    /// What the trade returned, or reverted with.
    bytes returned;
}

/// @title Trades as a user would, and says what changed
/// @notice Is never deployed: its code stands in for a user's in a single `eth_call`, so that the
/// trade's sender is the user and nothing is kept.
contract Replayer {
    /// What stands for native among the tokens.
    address private constant NATIVE = address(0);
    /// Far more than a token takes to tell a balance; one that fails may take all there is.
    uint256 private constant BALANCE_GAS = 2_000_000;

    /// A call before the trade failed.
    /// @param index Which of them
    /// @param returned What it reverted with
    error EarlierCallFailed(uint256 index, bytes returned);

    /// Takes native that a trade pays out or returns.
    receive() external payable {}

    /// @notice Makes the earlier calls, then the trade, and measures balances around the trade.
    /// @dev A balance that cannot be read is the largest number there is.
    /// @param earlier Calls that must succeed, such as approvals or trades that move the price
    /// @param trade The call that is judged; it may fail
    /// @param tokens Tokens to measure; zero is native
    /// @param holders Accounts to measure
    /// @return outcome What the trade did
    /// @return held Balances before the trade, by token and then holder, and then those after it
    function replay(
        Call[] calldata earlier,
        Call calldata trade,
        address[] calldata tokens,
        address[] calldata holders
    ) external payable returns (Outcome memory outcome, uint256[] memory held) {
        for (uint256 i; i < earlier.length; ++i) {
            (bool done, bytes memory returned) =
                earlier[i].to.call{value: earlier[i].value}(earlier[i].data);
            if (!done) revert EarlierCallFailed(i, returned);
        }
        uint256 count = tokens.length * holders.length;
        held = new uint256[](2 * count);
        _measure(held, 0, tokens, holders);
        uint256 gasBefore = gasleft();
        (outcome.success, outcome.returned) = trade.to.call{value: trade.value}(trade.data);
        outcome.gasUsed = gasBefore - gasleft();
        _measure(held, count, tokens, holders);
    }

    function _measure(
        uint256[] memory held,
        uint256 next,
        address[] calldata tokens,
        address[] calldata holders
    ) private view {
        for (uint256 i; i < tokens.length; ++i) {
            for (uint256 j; j < holders.length; ++j) {
                held[next++] = tokens[i] == NATIVE ? holders[j].balance : _balance(tokens[i], holders[j]);
            }
        }
    }

    function _balance(address token, address holder) private view returns (uint256) {
        (bool done, bytes memory returned) =
            token.staticcall{gas: BALANCE_GAS}(abi.encodeWithSignature("balanceOf(address)", holder));
        return done && returned.length >= 32 ? abi.decode(returned, (uint256)) : type(uint256).max;
    }
}
