using System.Globalization;

namespace Broker.LoadTest.Tokens;

/// <summary>The measured values of one server.</summary>
/// <param name="Server">The name of the server.</param>
internal sealed record TokensOutcome(string Server)
{
    /// <summary>The CPU time of the server for one login by a JWT, in milliseconds.</summary>
    public double LoginMilliseconds { get; set; }

    /// <summary>The resident memory before the first account was used, and after all were used.</summary>
    public (double Before, double After) Megabytes { get; set; }

    /// <summary>
    /// The 99th percentile of the time from PING to PONG without updates and with them, in milliseconds.
    /// </summary>
    public (double Without, double With) PingMilliseconds { get; set; }

    /// <summary>The number of acknowledged updates.</summary>
    public int Updates { get; set; }

    /// <summary>The 99th percentile of the time from an update to its answer, in milliseconds.</summary>
    public double UpdateMilliseconds { get; set; }

    /// <summary>
    /// The number of messages that an acknowledged update had forbidden and that were accepted nevertheless.
    /// </summary>
    public int Forbidden { get; set; }

    /// <summary>The number of connections that the server closed during the updates.</summary>
    public int Lost { get; set; }

    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{Server}: login {LoginMilliseconds:0.000} ms of CPU; memory {Megabytes.Before:0} MB, with all accounts {Megabytes.After:0} MB; "
        + $"PING p99 {PingMilliseconds.Without:0.00} ms, during updates {PingMilliseconds.With:0.00} ms; "
        + $"{Updates} updates, p99 {UpdateMilliseconds:0.0} ms; forbidden messages {Forbidden}; lost connections {Lost}");
}
