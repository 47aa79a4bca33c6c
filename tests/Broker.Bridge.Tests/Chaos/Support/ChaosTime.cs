using System.Diagnostics;
using System.Globalization;

namespace Broker.Bridge.Tests.Chaos.Support;

/// <summary>How long there is chaos: a minute over all tests, or BROKER_CHAOS_SECONDS, of which each has an equal part.</summary>
internal sealed class ChaosTime
{
    private const int Usual = 60;
    private const int Tests = 9;

    private readonly Stopwatch _since = Stopwatch.StartNew();
    private readonly TimeSpan _part = TimeSpan.FromSeconds(
        int.TryParse(Environment.GetEnvironmentVariable("BROKER_CHAOS_SECONDS"), CultureInfo.InvariantCulture, out int seconds) ? seconds : Usual) / Tests;

    public bool GoesOn => _since.Elapsed < _part;

    /// <summary>Lets some time pass in which things happen.</summary>
    public static Task PassAsync(Random random) => Task.Delay(random.Next(200), TestContext.Current.CancellationToken);
}
