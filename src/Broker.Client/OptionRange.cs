namespace Broker.Client;

/// <summary>What is told of an option that is out of its range: which one, what it was, and what it may be.</summary>
internal static class OptionRange
{
    /// <param name="holds">Whether it is within.</param>
    /// <param name="option">Its name.</param>
    /// <param name="value">What it was; null where that may be a secret or says nothing.</param>
    /// <param name="range">What it may be, as words that follow "must be".</param>
    /// <exception cref="ArgumentOutOfRangeException">It is not.</exception>
    internal static void Require(bool holds, string option, object? value, string range)
    {
        if (!holds)
        {
            throw new ArgumentOutOfRangeException(option, value, $"{option} must be {range}.");
        }
    }
}
