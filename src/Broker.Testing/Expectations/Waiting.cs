using System.Diagnostics;
using System.Globalization;

namespace Broker.Testing;

/// <summary>
/// Waits with a time limit. The limit only ends tests that hang. A test that passes needs much less time.
/// </summary>
internal static class Waiting
{
    internal static readonly TimeSpan DefaultTimeout = TimeSpan.FromSeconds(30);

    /// <summary>
    /// How long an assertion waits for the next message: 2 s, or the seconds in the environment variable
    /// <c>BROKER_TESTING_ASSERT_TIMEOUT</c>, for a busy build server. A failed assertion should not delay the whole run
    /// of tests.
    /// </summary>
    internal static readonly TimeSpan DefaultAssertTimeout =
        int.TryParse(Environment.GetEnvironmentVariable("BROKER_TESTING_ASSERT_TIMEOUT"), NumberStyles.None, CultureInfo.InvariantCulture, out int seconds) && seconds is > 0 and < 86_400
            ? TimeSpan.FromSeconds(seconds)
            : TimeSpan.FromSeconds(2);

    // The longest permitted limit. A timer of the runtime takes at most about 49 days.
    private static readonly TimeSpan Longest = TimeSpan.FromDays(20);

    private static readonly TimeSpan PollInterval = TimeSpan.FromMilliseconds(5);

    internal static void Validate(TimeSpan value)
    {
        if (value != Timeout.InfiniteTimeSpan)
        {
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(value, TimeSpan.Zero);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, Longest);
        }
    }

    /// <summary>Checks a condition again and again, for a condition that has no event.</summary>
    /// <param name="timeout">The time limit.</param>
    /// <param name="holds">The condition.</param>
    /// <param name="otherwise">Returns the text of the failure when the time limit has passed.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    internal static async Task UntilAsync(
        TimeSpan timeout, Func<Task<bool>> holds, Func<Task<string>> otherwise, CancellationToken cancellationToken)
    {
        long start = Stopwatch.GetTimestamp();
        while (!await holds().ConfigureAwait(false))
        {
            if (timeout != Timeout.InfiniteTimeSpan && Stopwatch.GetElapsedTime(start) > timeout)
            {
                throw new ExpectationException(await otherwise().ConfigureAwait(false));
            }

            await Task.Delay(PollInterval, cancellationToken).ConfigureAwait(false);
        }
    }

    internal static string Describe(TimeSpan timeout) => timeout.TotalSeconds.ToString("0.###", CultureInfo.InvariantCulture) + " s";
}
