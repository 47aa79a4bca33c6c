using System.Net;
using System.Net.Sockets;
using NetMQ;
using NetMQ.Monitoring;
using NetMQ.Sockets;

namespace Broker.NetMQCases;

internal static class MonitorCases
{
    public static void A_monitor_sees_a_server(Transcript t)
    {
        using var pull = new PullSocket();
        using var monitor = new NetMQMonitor(pull, "inproc://monitored-server", SocketEvents.All);
        using var poller = new NetMQPoller();
        var log = new MonitorLog(monitor);
        t.Show("timeout", monitor.Timeout);
        t.Show("endpoint", monitor.Endpoint);
        t.Show("running", monitor.IsRunning);
        monitor.AttachToPoller(poller);
        t.Show("running", monitor.IsRunning);
        poller.RunAsync();
        log.Await(pull);
        string address = pull.BindTcp();
        log.Show(t, address, 2);
        using (var push = new PushSocket(">" + address))
        {
            push.SendFrame("x");
            pull.SkipFrame();
            log.Show(t, address, 2);
        }

        log.Show(t, address, 2);
        pull.Unbind(address);
        log.Show(t, address, 2);
        poller.Stop();
        monitor.DetachFromPoller();
        t.Show("running", monitor.IsRunning);
    }

    public static void A_monitor_sees_a_client(Transcript t)
    {
        var pull = new PullSocket();
        string address = pull.BindTcp();
        using var push = new PushSocket();
        using var monitor = new NetMQMonitor(push, "inproc://monitored-client", SocketEvents.All);
        var log = new MonitorLog(monitor);
        Task running = monitor.StartAsync();
        log.Await(push);
        t.Show("running", monitor.IsRunning);
        push.Connect(address);
        log.Show(t, address, 4);
        push.SendFrame("x");
        pull.SkipFrame();
        pull.Dispose();
        log.Show(t, address, 6);
        monitor.Stop();
        running.Wait();
        t.Show("running", monitor.IsRunning);
    }

    public static void A_monitor_sees_a_disconnect(Transcript t)
    {
        using var pull = new PullSocket();
        string address = pull.BindTcp();
        using var push = new PushSocket();
        using var monitor = new NetMQMonitor(push, "inproc://monitored-disconnect", SocketEvents.All);
        using var poller = new NetMQPoller();
        var log = new MonitorLog(monitor);
        monitor.AttachToPoller(poller);
        poller.RunAsync();
        log.Await(push);
        push.Connect(address);
        log.Show(t, address, 4);
        push.SendFrame("x");
        pull.SkipFrame();
        push.Disconnect(address);
        Thread.Sleep(100);
        string last = push.BindTcp();
        log.Show(t, last, 2);
        poller.Stop();
        monitor.DetachFromPoller();
    }

    public static void A_monitor_sees_attempts_that_fail(Transcript t)
    {
        // A socket that is bound and does not listen refuses each attempt.
        using var refusing = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        refusing.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        string address = $"tcp://127.0.0.1:{((IPEndPoint)refusing.LocalEndPoint!).Port}";
        using var push = new PushSocket();
        using var monitor = new NetMQMonitor(push, "inproc://monitored-attempts", SocketEvents.All);
        using var poller = new NetMQPoller();
        var log = new MonitorLog(monitor);
        monitor.AttachToPoller(poller);
        poller.RunAsync();
        log.Await(push);
        push.Connect(address);
        log.Show(t, address, 14);
        poller.Stop();
        monitor.DetachFromPoller();
    }

    public static void A_monitor_sees_a_bind_that_fails(Transcript t)
    {
        using var other = new PullSocket();
        string address = other.BindTcp();
        using var pull = new PullSocket();
        using var monitor = new NetMQMonitor(pull, "inproc://monitored-bind", SocketEvents.All);
        using var poller = new NetMQPoller();
        var log = new MonitorLog(monitor);
        monitor.AttachToPoller(poller);
        poller.RunAsync();
        log.Await(pull);
        t.Try("bind", () => pull.Bind(address));
        log.Show(t, address, 2);
        poller.Stop();
        monitor.DetachFromPoller();
    }

    public static void A_monitor_sees_what_it_asks_for(Transcript t)
    {
        using var pull = new PullSocket();
        SocketEvents wanted = SocketEvents.Listening | SocketEvents.Disconnected;
        using var monitor = new NetMQMonitor(pull, "inproc://monitored-partly", wanted);
        using var poller = new NetMQPoller();
        var log = new MonitorLog(monitor);
        monitor.AttachToPoller(poller);
        poller.RunAsync();
        log.Await(pull);

        // No event of an inproc address, and no accepted peer.
        using var inproc = new PushSocket(pull.BindInproc());
        string address = pull.BindTcp();
        using (var push = new PushSocket(">" + address))
        {
            push.SendFrame("x");
            pull.SkipFrame();
        }

        log.Show(t, address, 4);
        poller.Stop();
        monitor.DetachFromPoller();
    }

    public static void A_monitor_sees_the_disposal_of_its_socket(Transcript t)
    {
        var pull = new PullSocket();
        using var monitor = new NetMQMonitor(pull, "inproc://monitored-disposal", SocketEvents.All);
        using var poller = new NetMQPoller();
        var log = new MonitorLog(monitor);
        monitor.AttachToPoller(poller);
        poller.RunAsync();
        log.Await(pull);
        string address = pull.BindTcp();
        log.Show(t, address, 2);
        using var push = new PushSocket(">" + address);
        push.SendFrame("x");
        pull.SkipFrame();
        log.Show(t, address, 2);
        pull.Dispose();
        log.Show(t, address, 2);
        poller.Stop();
        monitor.DetachFromPoller();
    }

    public static void A_monitor_has_a_socket_of_the_program(Transcript t)
    {
        const string Endpoint = "inproc://monitored-by-name";
        using var pull = new PullSocket();
        using var other = new PullSocket();
        t.Try("null", () => pull.Monitor(null!));
        t.Try("empty", () => pull.Monitor(""));
        t.Try("tcp", () => pull.Monitor("tcp://127.0.0.1:1"));
        t.Try("inproc", () => pull.Monitor(Endpoint));
        t.Try("in use", () => other.Monitor(Endpoint));
        using var poller = new NetMQPoller();
        var pair = new PairSocket();
        var monitor = new NetMQMonitor(pair, Endpoint, ownsSocket: true);
        var log = new MonitorLog(monitor);
        monitor.AttachToPoller(poller);
        poller.RunAsync();
        log.Await(pull);
        string address = pull.BindTcp();
        log.Show(t, address, 2);
        poller.Stop();
        monitor.DetachFromPoller();
        monitor.Dispose();
        t.Show("disposed", pair.IsDisposed);
        using var own = new PairSocket();
        new NetMQMonitor(own, Endpoint).Dispose();
        t.Show("disposed", own.IsDisposed);
        t.Try("nobody", new NetMQMonitor(own, "inproc://monitored-by-nobody").Start);
    }

    public static void A_monitor_runs_once_at_a_time(Transcript t)
    {
        using var pull = new PullSocket();
        using var monitor = new NetMQMonitor(pull, "inproc://monitored-once", SocketEvents.All);
        using var poller = new NetMQPoller();
        t.Try("detach", monitor.DetachFromPoller);
        t.Try("attach to nothing", () => monitor.AttachToPoller<NetMQPoller>(null!));
        monitor.Timeout = TimeSpan.FromMilliseconds(100);
        t.Show("timeout", monitor.Timeout);
        monitor.AttachToPoller(poller);
        t.Try("attach again", () => monitor.AttachToPoller(poller));
        t.Try("start", monitor.Start);
        t.Try("stop", monitor.Stop);
        monitor.DetachFromPoller();
        t.Show("running", monitor.IsRunning);
        var thread = new Thread(() => t.Guard("run", monitor.Start));
        thread.Start();
        t.Show("running", SpinWait.SpinUntil(() => monitor.IsRunning, Ports.Soon));
        t.Try("start again", monitor.Start);
        monitor.Stop();
        thread.Join();
        t.Show("running", monitor.IsRunning);
    }

    public static void Arguments_of_a_monitor(Transcript t)
    {
        using var pull = new PullSocket();
        var monitor = new OwnMonitor(pull);
        var failed = new NetMQMonitorErrorEventArgs(monitor, "a", ErrorCode.AccessDenied, SocketEvents.BindFailed);
        Show(t, failed, monitor);
        t.Show("code", failed.ErrorCode);
        var retried = new NetMQMonitorIntervalEventArgs(monitor, "b", 5, SocketEvents.ConnectRetried);
        Show(t, retried, monitor);
        t.Show("interval", retried.Interval);
        Show(t, new OwnArguments(monitor), monitor);
        t.Show("all", SocketEvents.All);
        monitor.Dispose();
        t.Show("disposals", monitor.Disposals);
        t.Show("disposed", pull.IsDisposed);
    }

    private static void Show(Transcript t, NetMQMonitorEventArgs arguments, NetMQMonitor monitor)
    {
        bool isSame = ReferenceEquals(arguments.Monitor, monitor);
        t.Show("arguments", $"{isSame} {arguments.Address} {arguments.SocketEvent}");
    }

    private sealed class OwnMonitor(NetMQSocket socket)
        : NetMQMonitor(socket, "inproc://monitored-own", SocketEvents.All)
    {
        public int Disposals { get; private set; }

        protected override void Dispose(bool disposing)
        {
            Disposals++;
            base.Dispose(disposing);
        }
    }

    private sealed class OwnArguments(NetMQMonitor monitor) : NetMQMonitorEventArgs(monitor, "c", SocketEvents.Closed);
}
