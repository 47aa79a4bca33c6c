using System.Diagnostics.CodeAnalysis;

namespace Broker.Benchmarks.Running;

/// <summary>A comparison is worth nothing unless all its variants come to the same result: what differs ends the run.</summary>
internal static class Agreement
{
    internal static void Require<T>(T expected, T actual, string what)
    {
        if (!EqualityComparer<T>.Default.Equals(expected, actual))
        {
            throw new InvalidOperationException($"No agreement on {what}: {expected} and {actual}.");
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
