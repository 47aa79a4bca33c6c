using Broker.ZeroMq.Tests.Sockets;

namespace Broker.ZeroMq.Tests.Interop;

/// <summary>Runs the sample programs and stops them by Ctrl+C.</summary>
public sealed class GuideProgramTests : IDisposable
{
    private const string AnyPort = "tcp://127.0.0.1:*";
    private const int Interrupted = 128 + 2;

    private readonly Inbox<ZeroMqEvent> _events = new();
    private readonly List<MessageSocket> _sockets = [];

    [Theory]
    [InlineData("hello-server", Interrupted)]
    [InlineData("ventilator", Interrupted)]
    [InlineData("sink", Interrupted)]
    [InlineData("weather-server", 0)]
    [InlineData("broker", 0)]
    public async Task Ctrl_C_stops_a_program_that_binds(string program, int status)
    {
        using PeerProcess running = Run(program, program switch
        {
            "ventilator" => [AnyPort, Bound(new PullSocket(Options))],
            "broker" => [AnyPort, AnyPort],
            _ => [AnyPort],
        });
        Assert.StartsWith("tcp://127.0.0.1:", await running.ReadLineAsync(), StringComparison.Ordinal);
        if (program == "broker")
        {
            await running.ReadLineAsync();
        }

        await running.SignalAsync("INT");
        Assert.Equal(status, await running.WaitForExitAsync());
    }

    [Theory]
    [InlineData("hello-client", Interrupted)]
    [InlineData("hello-worker", Interrupted)]
    [InlineData("weather-client", Interrupted)]
    [InlineData("worker", 0)]
    public async Task Ctrl_C_stops_a_program_that_connects(string program, int status)
    {
        string[] endpoints = program switch
        {
            "hello-client" => [Bound(new ResponseSocket(Options))],
            "hello-worker" => [Bound(new DealerSocket(Options))],
            "weather-client" => [Bound(new PublisherSocket(Options))],
            _ => [Bound(new PushSocket(Options)), Bound(new PullSocket(Options))],
        };
        using PeerProcess running = Run(program, endpoints);
        foreach (string _ in endpoints)
        {
            await _events.TakeAsync(e => e.Kind == ZeroMqEventKind.PeerConnected);
        }

        await running.SignalAsync("INT");
        Assert.Equal(status, await running.WaitForExitAsync());
    }

    public void Dispose() => _sockets.ForEach(socket => socket.Dispose());

    private ZeroMqSocketOptions Options => new() { OnEvent = _events.Add, Linger = TimeSpan.Zero };

    private string Bound(MessageSocket socket)
    {
        _sockets.Add(socket);
        return socket.Bind(AnyPort);
    }

    // A background job of a shell ignores SIGINT, and so do the programs that it starts.
    private static PeerProcess Run(string program, string[] endpoints)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "by env of coreutils");
        return PeerProcess.Start(program, Programs.Require("env"), ["--default-signal=INT", "dotnet", Repository.Sample("ZeroMqGuide"), program, .. endpoints]);
    }
}
