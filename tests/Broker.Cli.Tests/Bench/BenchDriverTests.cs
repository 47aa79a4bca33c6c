using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using Broker.Cli.Bench;
using Broker.Cli.Tests.Messaging;
using Broker.Cli.Tests.Shell;
using Broker.Cli.Tests.Starting;
using Broker.Server;

namespace Broker.Cli.Tests.Bench;

/// <summary>Tests the sockets of <c>broker bench</c>, which are not those of the client library.</summary>
public sealed class BenchDriverTests
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("pub")]
    [InlineData("pubsub")]
    [InlineData("request")]
    public async Task The_driver_logs_in_over_TLS_and_speaks_it(string pattern)
    {
        (string certificate, string key) = (TestCertificates.Common.CertificateFile, TestCertificates.Common.KeyFile);
        await using BrokerServer server = await BrokerServer.StartAsync(
            options =>
            {
                options.Listen(0);
                options.AuthTimeout = Wait.Limit;
                options.Tls = new ServerTlsOptions { CertificateFile = certificate, KeyFile = key, Timeout = Wait.Limit };
                options.Users = [new User("ada", "secret")];
            },
            Ended);

        (int exitCode, string output, string error) = await ShellRun.OfAsync(
            "bench", pattern, "-s", MessageCommandTests.Url(server), "--user", "ada", "--pass", "secret", "--tlscacert", TestCertificates.Common.AuthorityFile,
            "--count", "2000", "--json");

        Assert.Equal((ExitCode.Success, ""), (exitCode, error));
        Assert.Equal(2000, JsonDocument.Parse(output).RootElement.GetProperty("messages").GetInt64());
    }

    [Fact]
    public Task A_server_is_measured_over_WebSocket_too() => RealRun.WhileServingAsync(
        static async addresses =>
        {
            (int exitCode, string output, string error) = await ShellRun.OfAsync(
                "bench", "pubsub", "-s", addresses.WebSocket[0], "--count", "1000", "--json");

            Assert.Equal((ExitCode.Success, ""), (exitCode, error));
            Assert.Equal(1000, JsonDocument.Parse(output).RootElement.GetProperty("messages").GetInt64());
        },
        "serve", "-q", "-p", "-1", "-c", WebSocketFile());

    [Fact]
    public async Task A_PING_does_not_wait_for_a_send_and_is_answered_behind_it()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        using var client = new TcpClient();
        await client.ConnectAsync((IPEndPoint)listener.LocalEndpoint, Ended);
        using TcpClient server = await listener.AcceptTcpClientAsync(Ended);
        using var link = new RawLink(client.GetStream(), default, Wait.Limit);
        // More than the kernel keeps for a peer that does not read.
        byte[] sent = new byte[32 * 1024 * 1024];
        var sending = Task.Run(() => link.Send(sent), Ended);
        byte[] received = new byte[sent.Length + 6];
        int first = await server.GetStream().ReadAsync(received, Ended);

        link.AnswerPing();

        await server.GetStream().ReadExactlyAsync(received.AsMemory(first), Ended);
        await sending;
        Assert.Equal("PONG\r\n"u8, received.AsSpan(sent.Length));
    }

    [Fact]
    public async Task A_server_that_cannot_be_compared_is_named()
    {
        await using BrokerServer server = await MessageCommandTests.StartAsync();
        int port = FreePort.Next();

        (int exitCode, _, string error) = await ShellRun.OfAsync(
            "bench", "pub", "-s", MessageCommandTests.Url(server), "--compare", $"nats://127.0.0.1:{port}", "--count", "10");

        Assert.Equal(ExitCode.Failure, exitCode);
        Assert.Contains($"127.0.0.1:{port}", error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(1, 16, 16)]
    [InlineData(7, 0, 300)]
    [InlineData(1000, 0, 9)]
    [InlineData(3000, 40_000, 50_000)]
    public void Publishers_send_each_subject_equally_often_in_messages_of_all_sizes(int subjects, int least, int most)
    {
        string[] names = [.. Enumerable.Range(0, subjects).Select(static number => $"a.{number}")];
        ReadOnlyMemory<byte>[] bodies = new SizeRange(least, most).CreateBodies();
        var frames = new PublishFrames(names, bodies);
        long count = subjects == 3000 ? 3000 : Math.Max(subjects, bodies.Length / subjects * subjects) * 3;
        var used = new Dictionary<string, int>(StringComparer.Ordinal);
        var sizes = new HashSet<int>();
        long bytes = 0;
        byte[] scratch = [];
        for (long sent = 0; sent < count;)
        {
            ReadOnlySpan<byte> block = frames.Next(ref sent, count - sent, ref scratch, out long blockBytes);
            bytes += blockBytes;
            while (!block.IsEmpty)
            {
                int end = block.IndexOf("\r\n"u8);
                string[] words = Encoding.ASCII.GetString(block[..end]).Split(' ');
                int size = int.Parse(words[2], System.Globalization.CultureInfo.InvariantCulture);
                Assert.Equal("PUB", words[0]);
                Assert.True(block.Slice(end + 2 + size, 2).SequenceEqual("\r\n"u8));
                used[words[1]] = used.GetValueOrDefault(words[1]) + 1;
                sizes.Add(size);
                bytes -= size;
                block = block[(end + 4 + size)..];
            }
        }

        Assert.Equal(0, bytes);
        Assert.Equal(subjects, used.Count);
        Assert.All(used.Values, times => Assert.Equal(count / subjects, times));
        Assert.All(sizes, size => Assert.InRange(size, least, most));
        Assert.Equal(least == most, sizes.Count == 1);
    }

    [Fact]
    public async Task Equal_messages_with_other_lines_between_them_are_counted_one_by_one()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        using var client = new TcpClient();
        await client.ConnectAsync((IPEndPoint)listener.LocalEndpoint, Ended);
        using TcpClient server = await listener.AcceptTcpClientAsync(Ended);
        using var link = new RawLink(server.GetStream(), default, Wait.Limit);
        var counter = new BenchCounter();
        string equal = string.Concat(Enumerable.Repeat("MSG a 1 2\r\nok\r\n", 5000));
        Task sent = client.GetStream().WriteAsync(Encoding.ASCII.GetBytes($"{equal}{equal}PING\r\n{equal}MSG a 1 3\r\nyes\r\n{equal}+OK\r\nMSG b 1 2\r\nok\r\n{equal}"), Ended).AsTask();

        var reader = new RawReader(link, 1000, 1000);
        var subscriber = new RawSubscriber(link, counter, new RawErrors(static _ => Assert.Fail()));
        while (counter.Messages < 25_002)
        {
            reader.Read(ref subscriber);
            subscriber.Count();
        }

        await sent;
        Assert.Equal((25_002, 25_001 * 2 + 3), (counter.Messages, counter.Bytes));
        byte[] answer = new byte[6];
        await client.GetStream().ReadExactlyAsync(answer, Ended);
        Assert.Equal("PONG\r\n", Encoding.ASCII.GetString(answer));
    }

    private static string WebSocketFile()
    {
        string file = Path.Combine(Directory.CreateTempSubdirectory("bench-").FullName, "broker.conf");
        File.WriteAllText(file, "websocket { listen: \"127.0.0.1:-1\", no_tls: true }\n");
        return file;
    }
}
