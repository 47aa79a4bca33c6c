using System.Text;
using Broker.Benchmarks.Peers;

namespace Broker.Benchmarks.Requests;

/// <summary>NATS' client in C, with blocking threads, which is its only mode.</summary>
/// <param name="port">The server's port.</param>
/// <param name="subject">The subject of the requests.</param>
/// <param name="body">The body of the requests.</param>
/// <param name="atOnce">
/// Whether the requesting thread sends each request itself. Otherwise a flusher thread sends collected requests.
/// </param>
internal sealed class LibnatsRequester(int port, string subject, string body, bool atOnce) : IRequester
{
    private readonly Libnats _driver = new(port, atOnce);
    private readonly byte[] _subject = Encoding.ASCII.GetBytes(subject + "\0");
    private readonly byte[] _body = Encoding.ASCII.GetBytes(body);

    public void Ask(Span<long> ticks)
    {
        long[] nanoseconds = new long[ticks.Length];
        _driver.Request(_subject, _body, nanoseconds);
        for (int i = 0; i < ticks.Length; i++)
        {
            ticks[i] = (long)(nanoseconds[i] * (System.Diagnostics.Stopwatch.Frequency / 1e9));
        }
    }

    public bool TryAskTogether(int requesters, int each)
    {
        _driver.RequestTogether(_subject, _body, requesters, each);
        return true;
    }

    public void Dispose() => _driver.Dispose();
}
