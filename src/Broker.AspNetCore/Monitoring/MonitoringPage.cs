namespace Broker.AspNetCore;

/// <summary>A page of another part of the program, such as a bridge's counters.</summary>
/// <param name="Path">The path below <see cref="MonitoringOptions.BasePath"/>, for example <c>/bridgez</c>.</param>
/// <param name="Title">The page's title on the index page. It is plain text.</param>
/// <param name="WriteJson">Writes the page. It is called for each request, concurrently, on any thread.</param>
public sealed record MonitoringPage(string Path, string Title, Func<string> WriteJson)
{
    /// <summary>
    /// Writes lines of Prometheus' text format, version 0.0.4. They follow the server's lines in <c>/metrics</c>. It is
    /// called like <see cref="WriteJson"/>. Null, the default, means no lines.
    /// </summary>
    public Func<string>? WriteMetrics { get; init; }
}
