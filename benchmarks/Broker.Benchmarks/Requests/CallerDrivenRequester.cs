using System.Diagnostics;
using System.Text;
using Broker.Benchmarks.Running;
using Broker.Client;
using Broker.Transport;

namespace Broker.Benchmarks.Requests;

/// <summary>
/// This project's client on a loop without a thread: the caller runs the loop's iterations. One thread creates and uses
/// it.
/// </summary>
internal sealed class CallerDrivenRequester : IRequester
{
    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(1);

    private readonly EventLoopGroup _loops = new(new EventLoopOptions { CallerDriven = true, IdlePolls = 0 });
    private readonly BrokerConnection _connection;
    private readonly string _subject;
    private readonly byte[] _body;

    internal CallerDrivenRequester(string url, string subject, string body)
    {
        _subject = subject;
        _body = Encoding.ASCII.GetBytes(body);
        Task<BrokerConnection> connecting = BrokerConnection.ConnectAsync(new() { Servers = [url], Loops = _loops, ConnectTimeout = Limit });
        Turn(connecting);
        _connection = connecting.GetAwaiter().GetResult();
    }

    public void Ask(Span<long> ticks)
    {
        foreach (ref long taken in ticks)
        {
            long begin = Stopwatch.GetTimestamp();
            Agreement.Require(_connection.Request(_subject, _body, Limit).Body.Span.SequenceEqual(_body));
            taken = Stopwatch.GetTimestamp() - begin;
        }
    }

    public bool TryAskTogether(int requesters, int each) => false;

    public void Dispose()
    {
        Turn(_connection.CloseAsync());
        _loops.Dispose();
    }

    private void Turn(Task task)
    {
        while (!task.IsCompleted)
        {
            _loops[0].RunOnce(TimeSpan.FromMilliseconds(10));
        }
    }
}
