using System.Diagnostics;
using System.Globalization;

namespace Broker.Bridge.Tests.Chaos.Support;

/// <summary>The duration of the chaos: one minute or BROKER_CHAOS_SECONDS, shared equally by all chaos tests.</summary>
internal sealed class ChaosTime
{
    private const int Usual = 60;
    private const int Tests = 9;

    private readonly Stopwatch _since = Stopwatch.StartNew();
    private readonly TimeSpan _part = TimeSpan.FromSeconds(
        int.TryParse(Environment.GetEnvironmentVariable("BROKER_CHAOS_SECONDS"), CultureInfo.InvariantCulture, out int seconds) ? seconds : Usual) / Tests;

    public bool GoesOn => _since.Elapsed < _part;

    /// <summary>Waits for a random time.</summary>
    public static Task PassAsync(Random random) => Task.Delay(random.Next(200), TestContext.Current.CancellationToken);
}
