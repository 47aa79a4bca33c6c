namespace Broker.AspNetCore;

/// <summary>A page of another part of the program beside those of the server, such as a bridge's counters.</summary>
/// <param name="Path">Where it is, below <see cref="MonitoringOptions.BasePath"/>: <c>/bridgez</c>.</param>
/// <param name="Title">What it is of, for the index page; shown as text.</param>
/// <param name="WriteJson">Writes it. Called for each request, on any thread, several at a time.</param>
public sealed record MonitoringPage(string Path, string Title, Func<string> WriteJson)
{
    /// <summary>
    /// Writes lines of Prometheus' text format, version 0.0.4, that follow the server's in <c>/metrics</c>; called as <see cref="WriteJson"/>.
    /// Null, the default: none.
    /// </summary>
    public Func<string>? WriteMetrics { get; init; }
}
