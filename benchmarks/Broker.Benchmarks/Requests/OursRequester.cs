using System.Diagnostics;
using System.Text;
using Broker.Benchmarks.Running;
using Broker.Client;

namespace Broker.Benchmarks.Requests;

/// <summary>
/// This project's client with default settings and default loops: from a blocking thread, or awaited.
/// </summary>
internal sealed class OursRequester(string url, string subject, string body, bool blocking) : IRequester
{
    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(1);

    private readonly BrokerConnection _connection = BrokerConnection.ConnectAsync(
        new() { Servers = [url], ConnectTimeout = Limit }).GetAwaiter().GetResult();

    private readonly byte[] _body = Encoding.ASCII.GetBytes(body);

    public void Ask(Span<long> ticks)
    {
        if (!blocking)
        {
            long[] taken = new long[ticks.Length];
            Task.Run(() => AskAsync(taken)).GetAwaiter().GetResult();
            taken.CopyTo(ticks);
            return;
        }

        foreach (ref long taken in ticks)
        {
            long begin = Stopwatch.GetTimestamp();
            Check(_connection.Request(subject, _body, Limit));
            taken = Stopwatch.GetTimestamp() - begin;
        }
    }

    public bool TryAskTogether(int requesters, int each)
    {
        if (blocking)
        {
            return false;
        }

        Task.WhenAll(Enumerable.Range(0, requesters).Select(_ => Task.Run(() => AskAsync(new long[each])))).GetAwaiter().GetResult();
        return true;
    }

    public void Dispose() => _connection.DisposeAsync().AsTask().GetAwaiter().GetResult();

    private async Task AskAsync(long[] ticks)
    {
        for (int i = 0; i < ticks.Length; i++)
        {
            long begin = Stopwatch.GetTimestamp();
            Check(await _connection.RequestAsync(subject, _body, Limit).ConfigureAwait(false));
            ticks[i] = Stopwatch.GetTimestamp() - begin;
        }
    }

    private void Check(in Message answer) => Agreement.Require(answer.Body.Span.SequenceEqual(_body));
}
