using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Serving;

/// <summary>Tests the process as a shell or a service manager starts and stops it.</summary>
public sealed class StartAndStopTests
{
    [Fact]
    public async Task A_taken_port_is_one_clear_line_and_a_failure()
    {
        using var holder = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        holder.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        holder.Listen();
        int port = ((IPEndPoint)holder.LocalEndPoint!).Port;
        await using PeerProcess broker = BrokerProcess.Run("-p", $"{port}");

        Assert.Equal(1, await broker.WaitForExitAsync());
        Assert.Equal(
            $"broker: cannot listen on 127.0.0.1:{port}: the address is already in use (is nats-server or another broker running?)",
            broker.Errors.TrimEnd());
    }

    [Fact]
    public async Task A_taken_zeromq_port_is_one_clear_line_and_a_failure()
    {
        using var holder = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        holder.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        holder.Listen();
        int port = ((IPEndPoint)holder.LocalEndPoint!).Port;
        await using PeerProcess broker = BrokerProcess.Run("-p", "-1", "--zeromq-publishers", $"tcp://127.0.0.1:{port}", "--zeromq-subscribers", "tcp://127.0.0.1:*");

        Assert.Equal(1, await broker.WaitForExitAsync());
        Assert.StartsWith($"broker: cannot listen on tcp://127.0.0.1:{port}: the address is already in use", broker.Errors, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_start_with_TLS_does_not_read_the_certificates_that_the_system_trusts()
    {
        DirectoryInfo folder = Directory.CreateTempSubdirectory("trust-");
        try
        {
            (string certificate, string key) = TestCertificates.WriteSelfSigned(folder.FullName);
            string watched = folder.CreateSubdirectory("watched").FullName;
            string trusted = Path.Combine(watched, "trusted.pem");
            File.Copy(certificate, trusted);
            using var accesses = new FileSystemWatcher(watched) { NotifyFilter = NotifyFilters.LastAccess };
            var read = new BlockingCollection<string?>();
            accesses.Changed += (_, e) => read.Add(e.Name);
            accesses.EnableRaisingEvents = true;
            await using var broker = PeerProcess.Start(
                "broker", BrokerProgram.Command[0], ("SSL_CERT_FILE", trusted),
                [.. BrokerProgram.Command[1..], "serve", "-p", "-1", "--tlscert", certificate, "--tlskey", key]);

            await broker.ReadLineWithAsync("is ready");

            await broker.SignalAsync("TERM");
            Assert.Equal(0, await broker.WaitForExitAsync());
            // The events come in order: if this one is the first, the broker has read nothing.
            string last = Path.Combine(watched, "last");
            await File.WriteAllTextAsync(last, "x", TestContext.Current.CancellationToken);
            await File.ReadAllTextAsync(last, TestContext.Current.CancellationToken);
            Assert.True(read.TryTake(out string? first, Wait.Limit));
            Assert.Equal("last", first);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    [Theory]
    [InlineData("TERM")]
    [InlineData("INT")]
    public async Task A_stop_with_nothing_queued_succeeds(string signal)
    {
        await using BrokerProcess broker = await BrokerProcess.StartWithZeroMqAsync();
        await using Subscriber sub = await Peers.Libnats.SubscribeAsync(broker.Url, "a");
        await using Publisher pub = await Peers.Libnats.PublishAsync(broker.Url);
        await pub.SendAsync("a", "body");
        await sub.ReadAsync();

        Assert.Equal(0, await broker.StopAsync(signal));
        await broker.Process.ReadLineWithAsync("everything was delivered");
    }

    [Theory]
    [InlineData("INT")]
    [InlineData("QUIT")]
    public async Task A_signal_that_was_ignored_at_the_start_is_heard(string signal)
    {
        // A shell without job control starts background processes with ignored SIGINT.
        await using var broker = PeerProcess.Start(
            "broker", "sh", ["-c", "trap '' INT QUIT HUP; exec \"$@\"", "sh", .. BrokerProgram.Command, "serve", "-p", "-1"]);
        await broker.ReadLineWithAsync("is ready");
        await broker.SignalAsync("HUP");
        await broker.ReadLineWithAsync("the configuration was reloaded");

        await broker.SignalAsync(signal);

        await broker.ReadLineWithAsync("everything was delivered");
        Assert.Equal(0, await broker.WaitForExitAsync());
    }

    [Fact]
    public async Task What_is_queued_for_a_reader_that_never_reads_is_counted_and_the_exit_code_says_so()
    {
        DirectoryInfo folder = Directory.CreateTempSubdirectory("stop-");
        try
        {
            string file = Path.Combine(folder.FullName, "stop.conf");
            await File.WriteAllTextAsync(file, "stop_deadline: \"1s\"\n", TestContext.Current.CancellationToken);
            await using BrokerProcess broker = await BrokerProcess.StartAsync(-1, "-c", file);
            using RawConnection reader = await broker.ConnectRawAsync();
            await reader.SendAsync("CONNECT {\"verbose\":false}\r\nSUB a 1\r\nPING\r\n");
            await reader.ReadToAsync("PONG\r\n");
            using RawConnection writer = await broker.ConnectRawAsync();
            string message = "PUB a 1000000\r\n" + new string('x', 1_000_000) + "\r\n";
            await writer.SendAsync("CONNECT {\"verbose\":false}\r\n" + string.Concat(Enumerable.Repeat(message, 30)) + "PING\r\n");
            await writer.ReadToAsync("PONG\r\n");

            Assert.Equal(3, await broker.StopAsync());
            Assert.Matches(@"broker: stopped with \d+ undelivered messages?", broker.Process.Errors);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }
}
