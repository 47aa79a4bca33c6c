using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using Broker.Bridge;
using Broker.Cli.Serving;

namespace Broker.Cli.CommandLine;

/// <summary>
/// The flags of <c>broker serve</c>. A flag that nats-server also has has the same meaning as in nats-server.
/// </summary>
internal sealed class ServeOptions
{
    /// <summary>The name of <see cref="IgnoreUnsupported"/>.</summary>
    public const string IgnoreUnsupportedName = "--ignore-unsupported";

    public Option<string?> Host { get; } = new("--addr", "-a", "--net")
    {
        Description = "Address to listen on: a host name, an IP address, or * for all IPv4 and IPv6 addresses [default: 127.0.0.1]",
        HelpName = "host",
        CustomParser = ParseHost,
    };

    public Option<int?> Port { get; } = new("--port", "-p")
    {
        Description = "Port for NATS clients; -1 takes a free one [default: 4222]",
        HelpName = "port",
        CustomParser = ParsePort,
    };

    public Option<string?> Name { get; } = new("--name", "-n", "--server_name")
    {
        Description = "Name of the server, shown to clients [default: a random one]",
        HelpName = "name",
    };

    public Option<string?> Config { get; } = new("--config", "-c")
    {
        Description = "Configuration file in nats-server's syntax; flags override it",
        HelpName = "file",
    };

    public Option<bool> Test { get; } = new("-t") { Description = "Check the configuration, list all its errors, and exit" };

    public Option<bool> ZeroMq { get; } = new("--zeromq")
    {
        Description = $"Bridge ZeroMQ: publishers connect to tcp://127.0.0.1:{PubSubRouteOptions.DefaultPublishersPort}, "
            + $"subscribers to tcp://127.0.0.1:{PubSubRouteOptions.DefaultSubscribersPort}",
    };

    public Option<BridgeEndpoint[]?> ZeroMqPublishers { get; } = new("--zeromq-publishers")
    {
        Description = "Endpoint for ZeroMQ PUB sockets, in place of the default: "
            + "\"bind tcp://HOST:PORT\" or \"connect tcp://HOST:PORT\"; may be repeated",
        HelpName = "endpoint",
        Arity = ArgumentArity.OneOrMore,
        AllowMultipleArgumentsPerToken = false,
        CustomParser = ParseEndpoints,
    };

    public Option<BridgeEndpoint[]?> ZeroMqSubscribers { get; } = new("--zeromq-subscribers")
    {
        Description = "Endpoint for ZeroMQ SUB sockets, in the same form; may be repeated",
        HelpName = "endpoint",
        Arity = ArgumentArity.OneOrMore,
        AllowMultipleArgumentsPerToken = false,
        CustomParser = ParseEndpoints,
    };

    public Option<string?> ZeroMqPrefix { get; } = new("--zeromq-prefix")
    {
        Description = "First token of the subjects for ZeroMQ topics [default: zmq]",
        HelpName = "prefix",
        CustomParser = ParsePrefix,
    };

    public Option<bool> Debug { get; } = new("--debug", "-D") { Description = "Log debug information" };

    public Option<bool> Trace { get; } = new("--trace", "-V") { Description = "Log the protocol; -DV is -D and -V" };

    public Option<bool> TraceSystemAccount { get; } = new("--VV")
    {
        Description = "Log the protocol and the server's own messages in the system account; -DVV is -D and -VV",
    };

    public Option<int?> TracedPayload { get; } = new("--max_traced_msg_len")
    {
        Description = "Maximum number of payload bytes that -V logs; 0 logs all [default: 1024]",
        HelpName = "length",
        CustomParser = ParseLength,
    };

    public Option<string?> Log { get; } = new("--log", "-l")
    {
        Description = "File to append the log to [default: standard error]",
        HelpName = "file",
    };

    public Option<long?> LogSizeLimit { get; } = new("--log_size_limit")
    {
        Description = "Size in bytes above which the log file is renamed and a new one begun; 0 for no limit [default: 0]",
        HelpName = "bytes",
        CustomParser = ParseSize,
    };

    public Option<string?> Pid { get; } = new("--pid", "-P") { Description = "File to write the process id to", HelpName = "file" };

    public Option<string?> PortsFileDirectory { get; } = new("--ports_file_dir")
    {
        Description = "Directory for the file broker_<pid>.ports, which lists the addresses in use as JSON",
        HelpName = "directory",
    };

    public Option<string?> ClientAdvertise { get; } = new("--client_advertise")
    {
        Description = "host:port that the server announces to clients in place of its real address",
        HelpName = "host:port",
        CustomParser = ParseAdvertised,
    };

    public Option<SignalRequest?> Signal { get; } = new("--signal", "--sl")
    {
        Description = "Send a signal to a running broker and exit: reload, reopen (the log file), ldm (lame duck mode), stop, quit "
            + "or term; name the process by its id or its pid file "
            + "[default: the pid file of -P or of the configuration, otherwise the only running broker]",
        HelpName = "signal[=pid]",
        CustomParser = ParseSignal,
    };

    public Option<bool> LogTime { get; } = new("--logtime", "-T") { Description = "Start log lines with the time [default: true]" };

    public Option<int?> HttpPort { get; } = new("--http_port", "-m")
    {
        Description = "Port for the monitoring pages; -1 takes a free one [default: none]",
        HelpName = "port",
        CustomParser = ParsePort,
    };

    public Option<int?> HttpsPort { get; } = new("--https_port", "--ms")
    {
        Description = "Port for the monitoring pages over HTTPS, with the certificate of --tlscert; -1 takes a free one "
            + "[default: none]",
        HelpName = "port",
        CustomParser = ParsePort,
    };

    public Option<int?> SampleSubjects { get; } = new("--sample_subjects")
    {
        Description = "Sample one of this number of messages to find the subjects with the most traffic; 0 samples none [default: 0]",
        HelpName = "count",
        CustomParser = ParseSampleInterval,
    };

    public Option<string?> User { get; } = new("--user") { Description = "User name that clients must send; needs --pass", HelpName = "user" };

    public Option<string?> Password { get; } = new("--pass")
    {
        Description = "Password of that user, or its bcrypt hash",
        HelpName = "password",
    };

    public Option<string?> Token { get; } = new("--auth") { Description = "Token that clients must send", HelpName = "token" };

    public TlsFlags Tls { get; } = new();

    public Option<bool> JetStream { get; } = new("--jetstream", "--js")
    {
        Description = "Store messages in streams, which clients use by the JetStream API",
    };

    public Option<string?> StoreDirectory { get; } = new("--store_dir", "--sd")
    {
        Description = "Directory of the streams of -js [default: a folder of temporary files]",
        HelpName = "directory",
    };

    public Option<bool> IgnoreUnsupported { get; } = new(IgnoreUnsupportedName)
    {
        Description = "Start although flags or the file ask for clusters, MQTT, syslog or profiling, "
            + "which the broker does not have; a warning names each",
    };

    public Option<bool> Quiet { get; } = new("--quiet", "-q") { Description = "Do not show live counts on standard output" };

    public IEnumerable<Option> All =>
    [
        Host, Port, Name, Config, Test, ZeroMq, ZeroMqPublishers, ZeroMqSubscribers, ZeroMqPrefix,
        Debug, Trace, TraceSystemAccount, TracedPayload, Log, LogSizeLimit, LogTime, Pid, ClientAdvertise, HttpPort, HttpsPort, SampleSubjects,
        User, Password, Token, .. Tls.All, JetStream, StoreDirectory, Signal, PortsFileDirectory, IgnoreUnsupported, Quiet,
    ];

    /// <summary>The flags of a Windows service: all except <c>-t</c> and <c>--signal</c>, which do not serve.</summary>
    public IEnumerable<Option> OfService => All.Where(option => option != Test && option != Signal);

    /// <summary>The flags with secret values.</summary>
    public IReadOnlyList<Option> Secrets => [Password, Token];

    // As in nats-server, a negative length also means all bytes.
    private static int? ParseLength(ArgumentResult result)
    {
        string text = result.Tokens[0].Value;
        if (int.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out int length))
        {
            return Math.Max(length, 0);
        }

        result.AddError($"{((OptionResult)result.Parent!).Option.Name} must be a whole number, not \"{UserInfo.Hide(text)}\"");
        return null;
    }

    private static int? ParseSampleInterval(ArgumentResult result)
    {
        string text = result.Tokens[0].Value;
        if (int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int interval) && interval <= ServeSettings.MaxSampleInterval)
        {
            return interval;
        }

        result.AddError($"--sample_subjects must be a whole number from 0 to {ServeSettings.MaxSampleInterval}, not \"{UserInfo.Hide(text)}\"");
        return null;
    }

    // As in nats-server, a negative size also means no limit.
    private static long? ParseSize(ArgumentResult result)
    {
        string text = result.Tokens[0].Value;
        if (long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out long size))
        {
            return Math.Max(size, 0);
        }

        result.AddError($"--log_size_limit must be a whole number of bytes, not \"{UserInfo.Hide(text)}\"");
        return null;
    }

    private static int? ParsePort(ArgumentResult result)
    {
        string text = result.Tokens[0].Value;
        if (int.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out int port) && port is >= -1 and <= 65_535)
        {
            return port;
        }

        result.AddError(
            $"{((OptionResult)result.Parent!).Option.Name} must be a whole number from -1 to 65535, not \"{UserInfo.Hide(text)}\"");
        return null;
    }

    private static string? ParseHost(ArgumentResult result)
    {
        string text = result.Tokens[0].Value;
        if (ListenAddress.ParseHost(text) is { } host)
        {
            return host;
        }

        result.AddError($"--addr must be {ListenAddress.HostShape}, not \"{UserInfo.Hide(text)}\"");
        return null;
    }

    private static SignalRequest? ParseSignal(ArgumentResult result)
    {
        string text = result.Tokens[0].Value;
        if (SignalRequest.ParseOrNull(text) is { } request)
        {
            return request;
        }

        result.AddError($"--signal must be {SignalRequest.Shape}, not \"{UserInfo.Hide(text)}\"");
        return null;
    }

    private static string? ParseAdvertised(ArgumentResult result)
    {
        string text = result.Tokens[0].Value;
        if (HostAndPort.TryParse(text, out string? host, out int port) && host.Length > 0 && port > 0)
        {
            return text;
        }

        result.AddError($"--client_advertise must be a host and port such as \"example.org:4222\", not \"{UserInfo.Hide(text)}\"");
        return null;
    }

    private static string? ParsePrefix(ArgumentResult result)
    {
        string text = result.Tokens[0].Value;
        if (SubjectPrefix.IsValid(text))
        {
            return text;
        }

        result.AddError($"--zeromq-prefix must be {SubjectPrefix.Shape}, not \"{UserInfo.Hide(text)}\"");
        return null;
    }

    private static BridgeEndpoint[]? ParseEndpoints(ArgumentResult result)
    {
        var endpoints = new List<BridgeEndpoint>();
        foreach (Token token in result.Tokens)
        {
            if (ZeroMqEndpointText.ParseOrNull(token.Value) is { } endpoint)
            {
                endpoints.Add(endpoint);
            }
            else
            {
                string name = ((OptionResult)result.Parent!).Option.Name.TrimStart('-');
                result.AddError($"--{name} must be {ZeroMqEndpointText.Shape}, not \"{UserInfo.Hide(token.Value)}\"");
            }
        }

        return [.. endpoints];
    }
}
