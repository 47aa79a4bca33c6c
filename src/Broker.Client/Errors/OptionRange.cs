namespace Broker.Client;

/// <summary>Checks an option and throws an exception with its name, its value and its valid range.</summary>
internal static class OptionRange
{
    /// <param name="holds">Whether the value is valid.</param>
    /// <param name="option">The name of the option.</param>
    /// <param name="value">The value. Null if it may be a secret or has no useful text form.</param>
    /// <param name="range">The valid values, in words that follow "must be".</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="holds"/> is false.</exception>
    internal static void Require(bool holds, string option, object? value, string range)
    {
        if (!holds)
        {
            throw new ArgumentOutOfRangeException(option, value, $"{option} must be {range}.");
        }
    }
}
