using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Text;

namespace Broker.Client.Tests.Support;

/// <summary>A listener that follows a script, for behavior that no real server shows.</summary>
internal sealed class FakeServer : IDisposable
{
    public const string PlainInfo = "INFO {\"server_id\":\"fake\",\"version\":\"0\",\"headers\":true,\"max_payload\":1048576} \r\n";

    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly CancellationTokenSource _ending = new();

    /// <param name="script">Runs once for each client, on a thread of its own. The client's socket is closed when it
    /// returns.</param>
    public FakeServer(Action<Peer> script)
    {
        _listener.Start();
        new Thread(() => AcceptAll(script)) { IsBackground = true }.Start();
    }

    public string Url => string.Create(CultureInfo.InvariantCulture, $"nats://127.0.0.1:{((IPEndPoint)_listener.LocalEndpoint).Port}");

    /// <summary>The options of a client.</summary>
    public ClientOptions Options => new() { Servers = [Url] };

    public void Dispose()
    {
        _ending.Cancel();
        _listener.Dispose();
    }

    private void AcceptAll(Action<Peer> script)
    {
        while (!_ending.IsCancellationRequested)
        {
            try
            {
                Socket socket = _listener.AcceptSocket();
                new Thread(() => Serve(script, socket)) { IsBackground = true }.Start();
            }
            catch (Exception e) when (e is SocketException or InvalidOperationException)
            {
                // The listener was disposed during the call or before it.
                return;
            }
        }
    }

    private void Serve(Action<Peer> script, Socket socket)
    {
        using (socket)
        {
            try
            {
                script(new Peer(socket));
            }
            catch (Exception e) when (e is IOException or SocketException or ObjectDisposedException or AuthenticationException)
            {
                // The client has closed the connection.
            }
        }
    }

    internal sealed class Peer(Socket socket)
    {
        public Socket Socket { get; } = socket;

        public void Send(string text) => Socket.Send(Encoding.Latin1.GetBytes(text));

        /// <summary>Reads one line without its end, and nothing after it.</summary>
        public string ReadLine()
        {
            var line = new StringBuilder();
            Span<byte> one = stackalloc byte[1];
            while (Socket.Receive(one) == 1)
            {
                if (one[0] == '\n')
                {
                    return line.ToString().TrimEnd('\r');
                }

                line.Append((char)one[0]);
            }

            throw new EndOfStreamException();
        }

        /// <summary>
        /// Reads CONNECT and PING. If a socket is closed before all its input is read, the connection is reset and the
        /// last bytes sent may be lost.
        /// </summary>
        public string ReadRequest()
        {
            string connect = ReadLine();
            Assert.Equal("PING", ReadLine());
            return connect;
        }

        /// <summary>Exchanges INFO, CONNECT, PING and PONG.</summary>
        public string ShakeHands(string info = PlainInfo)
        {
            Send(info);
            string connect = ReadRequest();
            Send("PONG\r\n");
            return connect;
        }

        /// <summary>Reads everything and answers nothing until the client closes the connection.</summary>
        public void Discard()
        {
            byte[] buffer = new byte[256 * 1024];
            while (Socket.Receive(buffer) > 0)
            {
            }
        }
    }
}
