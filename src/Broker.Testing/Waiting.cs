using System.Diagnostics;
using System.Globalization;

namespace Broker.Testing;

/// <summary>How long waits may take: a guard against tests that hang, which a test that passes does not come near.</summary>
internal static class Waiting
{
    internal static readonly TimeSpan DefaultPatience = TimeSpan.FromSeconds(30);

    // A timer of the runtime takes at most some 49 days.
    private static readonly TimeSpan Longest = TimeSpan.FromDays(20);

    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(5);

    internal static void Validate(TimeSpan value)
    {
        if (value != Timeout.InfiniteTimeSpan)
        {
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(value, TimeSpan.Zero);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, Longest);
        }
    }

    /// <summary>Looks again and again for what nobody announces.</summary>
    /// <param name="patience">How long at most.</param>
    /// <param name="holds">The look.</param>
    /// <param name="otherwise">Says how things stand when the time is over.</param>
    /// <param name="cancellationToken">Ends it.</param>
    internal static async Task UntilAsync(
        TimeSpan patience, Func<Task<bool>> holds, Func<Task<string>> otherwise, CancellationToken cancellationToken)
    {
        long start = Stopwatch.GetTimestamp();
        while (!await holds().ConfigureAwait(false))
        {
            if (patience != Timeout.InfiniteTimeSpan && Stopwatch.GetElapsedTime(start) > patience)
            {
                throw new ExpectationException(await otherwise().ConfigureAwait(false));
            }

            await Task.Delay(Look, cancellationToken).ConfigureAwait(false);
        }
    }

    internal static string Describe(TimeSpan patience) => patience.TotalSeconds.ToString("0.###", CultureInfo.InvariantCulture) + " s";
}
