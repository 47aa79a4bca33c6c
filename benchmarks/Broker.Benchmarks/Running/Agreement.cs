using System.Diagnostics.CodeAnalysis;

namespace Broker.Benchmarks.Running;

/// <summary>
/// Ends the run if two variants have different results. A comparison is only valid if all its variants agree.
/// </summary>
internal static class Agreement
{
    internal static void Require<T>(T expected, T actual, string what)
    {
        if (!EqualityComparer<T>.Default.Equals(expected, actual))
        {
            throw new InvalidOperationException($"The variants disagree on {what}: {expected} and {actual}.");
        }
    }

    internal static void Require([DoesNotReturnIf(false)] bool holds)
    {
        if (!holds)
        {
            Fail();
        }
    }

    [DoesNotReturn]
    private static void Fail() => throw new InvalidOperationException("A variant failed.");
}
