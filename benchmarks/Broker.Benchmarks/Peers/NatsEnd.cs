using System.Net;
using System.Net.Sockets;
using System.Text;
using Broker.Benchmarks.Rates;

namespace Broker.Benchmarks.Peers;

/// <summary>
/// The part of a server that one client at a time needs to connect and subscribe. After that, it is a plain socket.
/// </summary>
internal abstract class NatsEnd : IDisposable
{
    private const string Info = "INFO {\"server_id\":\"benchmark\",\"version\":\"2.9.0\",\"proto\":1,\"headers\":true,\"max_payload\":1048576} \r\n";

    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly Thread _thread;
    private ThreadClock? _clock;

    protected NatsEnd()
    {
        _listener.Start();
        _thread = new Thread(Serve) { IsBackground = true, Name = GetType().Name };
    }

    internal int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    /// <summary>The processor time of this end's thread. It is available after a client has connected.</summary>
    internal ThreadClock Clock
    {
        get
        {
            Ready.Wait();
            return _clock!;
        }
    }

    /// <summary>The sid of the client's subscription, after the client has subscribed.</summary>
    protected string Sid { get; private set; } = "";

    protected Socket Client { get; private set; } = null!;

    /// <summary>Set when the client has completed the handshake and, if it subscribes, has subscribed.</summary>
    protected ManualResetEventSlim Ready { get; } = new();

    public virtual void Dispose()
    {
        _listener.Dispose();
        Client?.Dispose();
        _thread.Join();
        Ready.Dispose();
    }

    protected void Start() => _thread.Start();

    /// <summary>Runs after the handshake until the client disconnects.</summary>
    protected abstract void Run();

    /// <summary>Whether the client has sent everything that must precede <see cref="Run"/>.</summary>
    protected abstract bool IsReady(bool connected, bool subscribed);

    private void Serve()
    {
        try
        {
            _clock = ThreadClock.OfThisThread();
            Client = _listener.AcceptSocket();
            Client.NoDelay = true;
            ShakeHands();
            Ready.Set();
            Run();
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException or InvalidOperationException)
        {
            // The benchmark has ended.
        }
    }

    private void ShakeHands()
    {
        Client.Send(Encoding.ASCII.GetBytes(Info));
        bool connected = false;
        bool subscribed = false;
        var line = new StringBuilder();
        byte[] one = new byte[1];
        while (!IsReady(connected, subscribed) && Client.Receive(one) == 1)
        {
            if (one[0] != '\n')
            {
                line.Append((char)one[0]);
                continue;
            }

            string said = line.ToString().TrimEnd('\r');
            line.Clear();
            if (said == "PING")
            {
                connected = true;
                Client.Send("PONG\r\n"u8);
            }
            else if (said.StartsWith("SUB ", StringComparison.Ordinal))
            {
                subscribed = true;
                Sid = said.Split(' ', StringSplitOptions.RemoveEmptyEntries)[^1];
            }
        }
    }
}
