using System.IO.Pipelines;
using System.Text;
using Broker.Server.Tests.Harness;
using Broker.Transport;

namespace Broker.Server.Tests.Security;

/// <summary>
/// While a CONNECT is being verified, the server does not read from the client and loses nothing of it.
/// </summary>
public sealed class UndecidedClientTests
{
    private const int Mebibyte = 1024 * 1024;
    private const string Slow = """CONNECT {"verbose":false,"pedantic":false,"user":"slow"}""" + "\r\n";
    private const string Fast = """CONNECT {"verbose":false,"pedantic":false,"user":"fast"}""" + "\r\n";

    private readonly TaskCompletionSource _asked = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private TaskCompletionSource<AuthorizationResult> _decision = new(TaskCreationOptions.RunContinuationsAsynchronously);

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    private Task<BrokerServer> StartAsync(Action<BrokerServerOptions>? configure = null) => Servers.StartAsync(o =>
    {
        o.AuthTimeout = TimeSpan.FromMinutes(2);
        o.AuthorizeAsync = request =>
        {
            if (request.UserName == "fast")
            {
                return new(AuthorizationResult.Allow());
            }

            _asked.TrySetResult();
            return new(_decision.Task);
        };
        configure?.Invoke(o);
    });

    private Task AskedAsync() => _asked.Task.WaitAsync(Wait.Limit, Ct);

    [Fact]
    public async Task A_client_is_not_read_until_the_decision_and_others_are_served()
    {
        const int Messages = 480;
        await using BrokerServer server = await StartAsync();
        using var slow = RawClient.Open(server, Slow);
        await AskedAsync();
        // More bytes than the socket buffers of both sides can store.
        string message = $"PUB a {100_000}\r\n{new string('x', 100_000)}\r\n";
        var sending = Task.Run(
            () =>
            {
                slow.Send("SUB done 1\r\n");
                for (int i = 0; i < Messages; i++)
                {
                    slow.Send(message);
                }

                slow.Send("PUB done 2\r\nok\r\n");
            },
            Ct);
        using var fast = RawClient.Open(server, Fast);
        Assert.Equal("", fast.Sync());
        Assert.Equal(0, server.Snapshot().MessagesIn);
        Assert.False(sending.IsCompleted);

        _decision.SetResult(AuthorizationResult.Allow());
        Assert.Equal("ok"u8.ToArray(), slow.ReadMessage().Payload);
        await sending;
        Assert.Equal(Messages + 1, server.Snapshot().MessagesIn);
    }

    [Theory]
    [InlineData("sockets")]
    [InlineData("portable sockets")]
    [InlineData("TLS")]
    [InlineData("TLS, optional")]
    [InlineData("a pipe")]
    [InlineData("in process")]
    public async Task Operations_after_CONNECT_are_handled_in_order_after_the_decision(string transport)
    {
        await using BrokerServer server = await StartAsync(o =>
        {
            o.LoopOptions = new EventLoopOptions { ForcePortable = transport == "portable sockets" };
            o.Tls = transport.StartsWith("TLS", StringComparison.Ordinal)
                ? new ServerTlsOptions { Certificate = TestCertificates.Common.Server, AllowNonTls = transport != "TLS", Timeout = Wait.Limit }
                : null;
        });
        const string Behind = "PING\r\nSUB a 1\r\nPUB a 1\r\n1\r\nPING\r\nPUB a 1\r\n2\r\nUNSUB 1\r\nPUB a 1\r\n3\r\nPING\r\n";
        const string Answers = "PONG\r\nMSG a 1 1\r\n1\r\nPONG\r\nMSG a 1 1\r\n2\r\nPONG\r\n";
        using IDialogue client = transport switch
        {
            "a pipe" => new PipeDialogue(server),
            "in process" => new LinkDialogue(server),
            _ => new SocketDialogue(server, secured: transport.StartsWith("TLS", StringComparison.Ordinal)),
        };
        await client.SendAsync(Slow + Behind[..30]);
        await AskedAsync();
        await client.SendAsync(Behind[30..]);
        _decision.SetResult(AuthorizationResult.Allow());
        Assert.Equal(Answers, await client.ReadAsync(Answers.Length));
    }

    [Fact]
    public async Task Operations_before_a_repeated_CONNECT_are_handled_at_once_and_later_ones_after_the_decision()
    {
        await using BrokerServer server = await StartAsync();
        using var client = RawClient.Open(server, Fast + "SUB a 1\r\nPUB a 1\r\n1\r\nPING\r\n" + Slow + "SUB b 2\r\nPUB b 1\r\n2\r\nPUB a 1\r\n3\r\n");
        Assert.Equal("MSG a 1 1\r\n", client.ReadLine());
        Assert.Equal("1\r\nPONG\r\n", client.ReadLine() + client.ReadLine());
        await AskedAsync();
        Assert.Equal(1, server.Snapshot().MessagesIn);
        _decision.SetResult(AuthorizationResult.Allow());
        Assert.Equal("MSG b 2 1\r\n2\r\n", client.Sync());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_client_that_disconnects_is_removed_before_the_decision(bool portable)
    {
        await using BrokerServer server = await StartAsync(o => o.LoopOptions = new EventLoopOptions { ForcePortable = portable });
        using (RawClient.Open(server, Slow))
        {
            await AskedAsync();
            Assert.Equal(1, server.Snapshot().Connections);
        }

        await Servers.UntilAsync(() => server.Snapshot().Connections == 0, "it is gone");
        _decision.SetResult(AuthorizationResult.Allow());
        using var fast = RawClient.Open(server, Fast);
        Assert.Equal("", fast.Sync());
    }

    [Fact]
    public async Task A_client_that_disconnects_with_waiting_bytes_is_removed_after_the_decision()
    {
        await using BrokerServer server = await StartAsync();
        using var subscriber = RawClient.Open(server, Fast + "SUB a 1\r\n");
        subscriber.Sync();
        using (RawClient.Open(server, Slow + "PUB a 4\r\nlast\r\n"))
        {
            await AskedAsync();
        }

        _decision.SetResult(AuthorizationResult.Allow());
        Assert.Equal("last"u8.ToArray(), subscriber.ReadMessage().Payload);
        await Servers.UntilAsync(() => server.Snapshot().Connections == 1, "it is gone");
    }

    [Fact]
    public async Task The_buffered_bytes_of_all_such_clients_are_limited_and_released_after_the_decision()
    {
        const int Most = 32;
        await using BrokerServer server = await StartAsync();
        byte[] said = new byte[Slow.Length + Mebibyte];
        said.AsSpan().Fill((byte)'\n');
        Encoding.ASCII.GetBytes(Slow + "PING", said);
        for (int round = 0; round < 2; round++)
        {
            _decision = new(TaskCreationOptions.RunContinuationsAsynchronously);
            List<LinkDialogue> clients = [];
            for (int i = 0; i <= Most; i++)
            {
                clients.Add(new LinkDialogue(server));
                // An in-process connection delivers bytes in the same portions as they were written.
                await clients[i].SendInOnePieceAsync(said);
            }

            await Servers.UntilAsync(() => clients.Count(c => c.Text.Contains("-ERR 'Authorization Violation'", StringComparison.Ordinal)) == 1, "one is refused");
            await Servers.UntilAsync(() => server.Snapshot().Connections == Most, "it is gone");
            _decision.SetResult(AuthorizationResult.Deny());
            await Servers.UntilAsync(() => server.Snapshot().Connections == 0, "all are refused");
        }
    }

    private interface IDialogue : IDisposable
    {
        Task SendAsync(string text);

        /// <summary>Waits for this number of characters after INFO, without the server's own PINGs.</summary>
        Task<string> ReadAsync(int length);
    }

    private sealed class SocketDialogue(BrokerServer server, bool secured) : IDialogue
    {
        private readonly TlsClient? _secured = secured ? TlsClient.Open(server.EndPoints[0]) : null;
        private readonly RawClient? _clear = secured ? null : RawClient.Open(server, "");

        public Task SendAsync(string text)
        {
            _secured?.Send(text);
            _clear?.Send(text);
            return Task.CompletedTask;
        }

        public Task<string> ReadAsync(int length)
        {
            var text = new StringBuilder();
            while (text.Length < length)
            {
                string line = _secured?.ReadAnswer() ?? _clear!.ReadLine();
                Assert.NotEqual("", line);
                text.Append(line == "PING\r\n" ? "" : line);
            }

            return Task.FromResult(text.ToString());
        }

        public void Dispose()
        {
            _secured?.Dispose();
            _clear?.Dispose();
        }
    }

    private sealed class LinkDialogue(BrokerServer server) : IDialogue
    {
        private readonly InProcessClient _client = new();
        private Connection? _connection;

        internal string Text => _client.Text;

        public Task SendAsync(string text) => SendInOnePieceAsync(Encoding.ASCII.GetBytes(text));

        public async Task<string> ReadAsync(int length)
        {
            string heard = "";
            await Servers.UntilAsync(
                () =>
                {
                    string text = _client.Text;
                    heard = text[(text.IndexOf('\n', StringComparison.Ordinal) + 1)..].Replace("PING\r\n", "", StringComparison.Ordinal);
                    return heard.Length >= length;
                },
                "the answers");
            return heard;
        }

        public void Dispose() => _connection?.Close();

        internal async Task SendInOnePieceAsync(byte[] bytes)
        {
            _connection ??= await server.CreateDialer().DialAsync(server.Loops[0], _client, Ct);
            _connection.Loop.Post(() =>
            {
                LoopWriteBuffer stage = _connection.GetWriteBuffer(_connection.Loop);
                bytes.CopyTo(stage.GetSpan(bytes.Length));
                stage.Advance(bytes.Length);
            });
        }
    }

    private sealed class PipeDialogue : IDialogue
    {
        private readonly Pipe _toServer = new();
        private readonly Pipe _toClient = new();
        private readonly StringBuilder _text = new();

        internal PipeDialogue(BrokerServer server) => server.ConnectPipe(new End(_toServer.Reader, _toClient.Writer), null, ClientTransport.WebSocket);

        public async Task SendAsync(string text) => await _toServer.Writer.WriteAsync(Encoding.ASCII.GetBytes(text), Ct);

        public async Task<string> ReadAsync(int length)
        {
            while (true)
            {
                string all = _text.ToString();
                string heard = all[(all.IndexOf('\n', StringComparison.Ordinal) + 1)..].Replace("PING\r\n", "", StringComparison.Ordinal);
                if (heard.Length >= length)
                {
                    return heard;
                }

                ReadResult read = await _toClient.Reader.ReadAsync(Ct).AsTask().WaitAsync(Wait.Limit, Ct);
                _text.Append(Encoding.ASCII.GetString(read.Buffer));
                _toClient.Reader.AdvanceTo(read.Buffer.End);
                Assert.False(read.IsCompleted);
            }
        }

        public void Dispose() => _toServer.Writer.Complete();

        private sealed record End(PipeReader Input, PipeWriter Output) : IDuplexPipe;
    }
}
