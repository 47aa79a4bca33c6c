using NetMQ;
using NetMQ.Monitoring;

namespace Broker.NetMQCases;

/// <summary>
/// The events of a monitor, which the thread of a case shows. The monitor's own thread only adds them, so that the
/// lines of a transcript have one order.
/// </summary>
internal sealed class MonitorLog
{
    // A Monitor is pulsed, which the type Lock does not offer.
    private readonly object _gate = new();
    private readonly Queue<(string Text, string Address)> _events = new();
    private readonly HashSet<string> _probes = [];

    internal MonitorLog(NetMQMonitor monitor)
    {
        monitor.EventReceived += (sender, e)
            => Add($"any {ReferenceEquals(sender, monitor)} {ReferenceEquals(e.Monitor, monitor)}", e);
        monitor.Connected += (_, e) => Add("connected", e);
        monitor.ConnectDelayed += (_, e) => Add($"delayed {e.ErrorCode}", e);
        monitor.ConnectRetried += (_, e) => Add($"retried {e.Interval > 0}", e);
        monitor.Listening += (_, e) => Add("listening", e);
        monitor.BindFailed += (_, e) => Add($"bind failed {e.ErrorCode}", e);
        monitor.Accepted += (_, e) => Add("accepted", e);
        monitor.AcceptFailed += (_, e) => Add($"accept failed {e.ErrorCode}", e);
        monitor.Closed += (_, e) => Add("closed", e);
        monitor.CloseFailed += (_, e) => Add($"close failed {e.ErrorCode}", e);
        monitor.Disconnected += (_, e) => Add("disconnected", e);
    }

    /// <summary>Waits until the monitor gets the events of its socket, and shows none of them.</summary>
    internal void Await(NetMQSocket socket)
    {
        do
        {
            _probes.Add(socket.BindTcp());
        }
        while (!TryTake(TimeSpan.FromMilliseconds(100), out _));
    }

    /// <summary>Shows the next events, and whether they are about the address.</summary>
    internal void Show(Transcript t, string address, int count)
    {
        while (count > 0)
        {
            if (!TryTake(Ports.Soon, out (string Text, string Address) next))
            {
                t.Show("missing", count);
                return;
            }

            if (!_probes.Contains(next.Address))
            {
                t.Show("event", $"{next.Text} {next.Address == address}");
                count--;
            }
        }
    }

    private void Add(string text, NetMQMonitorEventArgs e)
    {
        lock (_gate)
        {
            _events.Enqueue(($"{text} {e.SocketEvent}", e.Address));
            Monitor.Pulse(_gate);
        }
    }

    private bool TryTake(TimeSpan limit, out (string Text, string Address) next)
    {
        lock (_gate)
        {
            while (!_events.TryDequeue(out next))
            {
                if (!Monitor.Wait(_gate, limit))
                {
                    return false;
                }
            }

            return true;
        }
    }
}
