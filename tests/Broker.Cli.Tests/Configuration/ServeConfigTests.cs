using Broker.Bridge;
using Broker.Cli.Configuration;
using Broker.Transport;

namespace Broker.Cli.Tests.Configuration;

public sealed class ServeConfigTests
{
    [Fact]
    public void An_empty_file_changes_nothing() => Assert.Equal(new ServeSettings(), Bind(""));

    [Fact]
    public void Every_key_is_taken()
    {
        ServeSettings settings = Bind("""
            host: 0.0.0.0
            port: 4333
            server_name: n1
            max_payload: 2MB
            max_control_line: 8KB
            max_pending: 32MB
            max_connections: 10
            write_deadline: "5s"
            ping_interval: 1m30s
            ping_max: 3
            stop_deadline: "500ms"
            debug: on
            trace: yes
            log_file: "b.log"
            pid_file: 'b.pid'
            ports_file_dir: "/run"
            """);

        Assert.Equal(
            new ServeSettings
            {
                Host = "0.0.0.0",
                Port = 4333,
                ServerName = "n1",
                MaxPayload = 2 * 1024 * 1024,
                MaxControlLine = 8192,
                MaxPending = 32 * 1024 * 1024,
                MaxConnections = 10,
                WriteDeadline = TimeSpan.FromSeconds(5),
                PingInterval = TimeSpan.FromSeconds(90),
                PingMax = 3,
                StopDeadline = TimeSpan.FromMilliseconds(500),
                Debug = true,
                Trace = true,
                LogFile = "b.log",
                PidFile = "b.pid",
                PortsFileDirectory = "/run",
            },
            settings);
    }

    [Fact]
    public void How_connections_are_served_is_a_block()
    {
        EventLoopOptions loops = Bind("loops { threads: 3, idle_polls: 0, bulk_pause: 7 }").Loops;
        Assert.Equal(new EventLoopOptions { Loops = 3, IdlePolls = 0, BulkPause = 7 }, loops);
        Assert.Equal(new EventLoopOptions { Loops = 2 }, Bind("loops { threads: 2 }").Loops);
    }

    [Fact]
    public void The_bridge_is_a_block()
    {
        ZeroMqSettings bridge = Bind("""
            zeromq {
              publishers: ["bind tcp://*:7000", "connect tcp://sensors:5556"]
              subscribers: "tcp://[::1]:0"
              prefix: plant.zmq
              delimiter: "/"
              single_frame_delimiter: ","
              echo: false
              send_high_water_mark: 64KB
              max_message_size: 2KB
              max_peers: 5
              url: nats://elsewhere:4222
            }
            """).ZeroMq!;

        Assert.Equal(["bind tcp://*:7000", "connect tcp://sensors:5556"], bridge.Publishers.Select(ZeroMqEndpointText.Format));
        Assert.Equal([new BridgeEndpoint(true, "tcp://[::1]:0")], bridge.Subscribers);
        Assert.Equal("plant.zmq", bridge.Prefix);
        Assert.Equal(('/', ','), (bridge.Delimiter, bridge.SingleFrameDelimiter));
        Assert.False(bridge.Echo);
        Assert.Equal((64 * 1024, 2048, 5), (bridge.SendHighWaterMark, bridge.MaxMessageSize, bridge.MaxPeers));
        Assert.Equal(["nats://elsewhere:4222"], bridge.Connection!.Servers);
    }

    [Theory]
    [InlineData("zeromq { }")]
    [InlineData("zeromq: true")]
    public void The_bridge_has_defaults(string text)
    {
        ZeroMqSettings bridge = Bind(text).ZeroMq!;

        Assert.Equal(["bind tcp://127.0.0.1:5556"], bridge.Publishers.Select(ZeroMqEndpointText.Format));
        Assert.Equal(["bind tcp://127.0.0.1:5557"], bridge.Subscribers.Select(ZeroMqEndpointText.Format));
    }

    [Theory]
    [InlineData("listen: 4333", "127.0.0.1", 4333)]
    [InlineData("listen: -1", "127.0.0.1", 0)]
    [InlineData("listen: \"[::1]:4333\"", "::1", 4333)]
    [InlineData("listen: localhost:4333", "localhost", 4333)]
    [InlineData("listen: :4333", "0.0.0.0", 4333)]
    [InlineData("port: -1", "127.0.0.1", 0)]
    [InlineData("net: 10.0.0.1", "10.0.0.1", 4222)]
    public void The_listener_is_named_in_several_ways(string text, string host, int port)
    {
        ServeSettings settings = Bind(text);

        Assert.Equal((host, port), (settings.Host, settings.Port));
    }

    [Theory]
    [InlineData("\n\nmax_paylod: 3", "unknown key \"max_paylod\" at test.conf:3:1, did you mean \"max_payload\"?")]
    [InlineData("zeromq {\n  prefx: a\n}", "unknown key \"prefx\" at test.conf:2:3, did you mean \"prefix\"?")]
    [InlineData("mqtt { port: 1 }", "\"mqtt\" is not supported: the broker does not serve MQTT clients at test.conf:1:1 (broker serve --ignore-unsupported starts without it)")]
    [InlineData("jetstream { strict: false }", "\"strict\" must be true, because the broker always refuses fields of the API that it does not know, not false at test.conf:1:21")]
    [InlineData("jetstream { sync_interval: \"2m\" }", "\"sync_interval\" must be always, because the broker acknowledges a message only when it is on the disk, not \"2m\" at test.conf:1:28")]
    [InlineData("port: \"4333\"", "\"port\" must be a whole number from -1 to 65535, not \"4333\" at test.conf:1:7")]
    [InlineData("port: 70000", "\"port\" must be a whole number from -1 to 65535, not 70000 at test.conf:1:7")]
    [InlineData("max_payload: 1.5", "\"max_payload\" must be a size from 1 to 67108864 bytes, such as 64KB or 1MB without quotes, not 1.5 at test.conf:1:14")]
    [InlineData("max_payload: -1", "\"max_payload\" must be a size from 1 to 67108864 bytes, such as 64KB or 1MB without quotes, not -1 at test.conf:1:14")]
    [InlineData("debug: 1", "\"debug\" must be true or false, not 1 at test.conf:1:8")]
    [InlineData("server_name: 12", "\"server_name\" must be a text (put it in quotes), not 12 at test.conf:1:14")]
    [InlineData("write_deadline: 10", "\"write_deadline\" must be a duration such as \"10s\" or \"2m\", not 10 at test.conf:1:17")]
    [InlineData("write_deadline: -1s", "\"write_deadline\" must be a duration such as \"10s\" or \"2m\", not \"-1s\" at test.conf:1:17")]
    [InlineData("listen: localhost", "\"listen\" must be a port, a text such as \"127.0.0.1:4222\" or an array of them, not \"localhost\" at test.conf:1:9")]
    [InlineData("loops: 4", "\"loops\" must be a block with threads, idle_polls or bulk_pause, not 4 at test.conf:1:8")]
    [InlineData("loops { bulk_pause: -1 }", "\"bulk_pause\" must be a whole number from 0 to 1000000, not -1 at test.conf:1:21")]
    [InlineData("loops { idle_poll: 1 }", "unknown key \"idle_poll\" at test.conf:1:9, did you mean \"idle_polls\"?")]
    [InlineData("zeromq: 4", "\"zeromq\" must be a block, or true for its defaults, not 4 at test.conf:1:9")]
    [InlineData("zeromq { delimiter: ab }", "\"delimiter\" must be one ASCII character in quotes, not \"ab\" at test.conf:1:21")]
    [InlineData("zeromq { prefix: a.*.b }", "\"prefix\" must be one or more subject tokens such as \"zmq\" or \"plant.zmq\", not \"a.*.b\" at test.conf:1:18")]
    [InlineData("zeromq { url: \"http://x\" }", "\"url\" must be the URL of a NATS server, such as \"nats://host:4222\" or \"wss://host\", not \"http://x\" at test.conf:1:15")]
    [InlineData("zeromq { subscribers: [\"bind udp://x\"] }", "\"subscribers\" must be an endpoint such as \"bind tcp://127.0.0.1:5556\" or \"connect tcp://host:5556\", not \"bind udp://x\" at test.conf:1:24")]
    [InlineData("max_payload: 2KB\nmax_pending: 1KB", "max_payload (2048) must not be greater than max_pending (1024) at test.conf:1:14")]
    public void A_wrong_key_or_value_says_what_and_where(string text, string message)
        => Assert.Equal([message], Problems(text));

    [Fact]
    public void All_problems_are_named_in_the_order_of_the_file()
        => Assert.Equal([1, 2, 4], Assert.Throws<ConfigException>(() => Bind("port: x\nnonsense: 1\nhost: ok\ndebug: 3")).Problems.Select(p => p.Position.Line));

    [Fact]
    public void A_key_used_as_a_variable_need_not_be_a_setting()
        => Assert.Equal(4333, Bind("base: 4333\nport: $base").Port);

    private static string[] Problems(string text)
        => [.. Assert.Throws<ConfigException>(() => Bind(text)).Problems.Select(problem => problem.ToString())];

    private static ServeSettings Bind(string text) => ServeConfig.Bind(Parsing.Parse(text), new ServeSettings());
}
