using System.Diagnostics;
using System.Globalization;
using System.Text;
using Broker.LoadTest.Driver;

namespace Broker.LoadTest.Rows.Growth;

/// <summary>
/// A connection that subscribes and unsubscribes at a steady rate, to other subjects than those that are published to.
/// </summary>
internal sealed class SubscriptionChurn(RawConnection connection, int pairsPerSecond)
{
    private const int Subjects = 1_000;
    private static readonly TimeSpan Tick = TimeSpan.FromMilliseconds(1);

    private long _pairs;
    private volatile bool _stopped;

    public Worker Start(Session session, Action onError)
    {
        _stopped = false;
        return session.Start("churn", Run, onError);
    }

    public void Stop() => _stopped = true;

    private void Run()
    {
        long from = Stopwatch.GetTimestamp();
        long sent = 0;
        var lines = new StringBuilder();
        while (!_stopped)
        {
            long due = (long)(Stopwatch.GetElapsedTime(from).TotalSeconds * pairsPerSecond);
            for (; sent < due; sent++)
            {
                long sid = _pairs++ % Subjects;
                lines.Append(CultureInfo.InvariantCulture, $"SUB g.c{sid}.x {sid}\r\nUNSUB {sid}\r\n");
            }

            connection.Send(Encoding.ASCII.GetBytes(lines.ToString()));
            lines.Clear();
            Thread.Sleep(Tick);
        }

        connection.Fence();
    }
}
