namespace Broker.AspNetCore;

/// <summary>A page of another part of the program, such as a bridge's counters.</summary>
/// <param name="Path">The path below <see cref="MonitoringOptions.BasePath"/>, for example <c>/bridgez</c>.</param>
/// <param name="Title">The page's title on the index page. It is plain text.</param>
/// <param name="WriteJson">
/// Returns the page as JSON. It is called for each request, concurrently, on any thread.
/// </param>
public sealed record MonitoringPage(string Path, string Title, Func<string> WriteJson)
{
    /// <summary>
    /// Returns lines in Prometheus' text format, version 0.0.4. They are appended to the server's lines in
    /// <c>/metrics</c>. The function is called on any thread, concurrently. Null, the default, means no lines.
    /// </summary>
    public Func<string>? WriteMetrics { get; init; }
}
