using Broker.LoadTest.Driver;

namespace Broker.LoadTest.Servers;

/// <summary>Live pages of a broker that are open while it is measured. They read each event and drop it.</summary>
internal sealed class LivePages : IDisposable
{
    private static readonly TimeSpan FirstEventLimit = TimeSpan.FromSeconds(60);

    private readonly CancellationTokenSource _closed = new();
    private readonly HttpClient _http = new() { Timeout = Timeout.InfiniteTimeSpan };
    private readonly List<Task> _readers = [];

    /// <summary>Opens the pages, and returns when each has received an event.</summary>
    /// <exception cref="DriverException">A page received no event.</exception>
    public static LivePages Open(int count, int monitoringPort)
    {
        var pages = new LivePages();
        try
        {
            for (int i = 0; i < count; i++)
            {
                pages.Open(new Uri($"http://127.0.0.1:{monitoringPort}/live"));
            }

            return pages;
        }
        catch (Exception e) when (e is HttpRequestException or OperationCanceledException or IOException)
        {
            pages.Dispose();
            throw new DriverException($"A live page could not be opened: {e.Message}", e);
        }
    }

    public void Dispose()
    {
        _closed.Cancel();
        Task.WhenAll(_readers).ContinueWith(static _ => { }, TaskScheduler.Default).Wait();
        _http.Dispose();
        _closed.Dispose();
    }

    private void Open(Uri address)
    {
        using var limit = new CancellationTokenSource(FirstEventLimit);
        HttpResponseMessage response = _http.GetAsync(address, HttpCompletionOption.ResponseHeadersRead, limit.Token).GetAwaiter().GetResult();
        response.EnsureSuccessStatusCode();
        Stream events = response.Content.ReadAsStreamAsync(limit.Token).GetAwaiter().GetResult();
        byte[] buffer = new byte[64 * 1024];
        events.ReadAtLeastAsync(buffer, 1, cancellationToken: limit.Token).AsTask().GetAwaiter().GetResult();
        _readers.Add(ReadAsync(response, events, buffer));
    }

    private async Task ReadAsync(HttpResponseMessage response, Stream events, byte[] buffer)
    {
        using (response)
        {
            while (await events.ReadAsync(buffer, _closed.Token).ConfigureAwait(false) > 0)
            {
            }
        }
    }
}
