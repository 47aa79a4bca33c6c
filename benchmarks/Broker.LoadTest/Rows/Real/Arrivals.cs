using System.Diagnostics;
using System.Text.Json;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Rows.Real;

/// <summary>
/// Counts the messages that a server has received since the creation of this object, by <c>in_msgs</c> of its page
/// <c>/varz</c>.
/// </summary>
internal sealed class Arrivals : IDisposable
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(5);

    private readonly HttpClient _http = new();
    private readonly Uri _page;
    private readonly long _before;

    public Arrivals(Target target)
    {
        _page = target.MonitoringPage;
        _before = Read();
    }

    /// <summary>The maximum delay of the counter.</summary>
    public TimeSpan WaitLimit { get; init; } = TimeSpan.FromSeconds(20);

    /// <summary>Throws if the number is not <paramref name="messages"/>.</summary>
    public void Check(long messages)
    {
        long from = Stopwatch.GetTimestamp();
        long seen;
        while ((seen = Read() - _before) < messages && Stopwatch.GetElapsedTime(from) < WaitLimit)
        {
            Thread.Sleep(Pause);
        }

        if (seen != messages)
        {
            throw new DriverException($"{messages} messages were sent, and the server reports that it received {seen}.");
        }
    }

    public void Dispose() => _http.Dispose();

    private long Read()
    {
        try
        {
            using var request = new HttpRequestMessage(HttpMethod.Get, _page);
            using HttpResponseMessage response = _http.Send(request);
            using var page = JsonDocument.Parse(response.EnsureSuccessStatusCode().Content.ReadAsStream());
            return page.RootElement.GetProperty("in_msgs").GetInt64();
        }
        catch (Exception e) when (e is HttpRequestException or JsonException or KeyNotFoundException)
        {
            throw new DriverException($"The server does not report how many messages it received: {e.Message}", e);
        }
    }
}
