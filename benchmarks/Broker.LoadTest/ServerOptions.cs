using System.CommandLine;

namespace Broker.LoadTest;

/// <summary>The option of all commands that adds servers.</summary>
internal static class ServerOptions
{
    public static Option<string[]> Servers() => new("--server")
    {
        Description = "A server as name=command, {port} in the command is its port. Adds to broker and nats-server, or replaces the one of that name. For TLS it is given --tls, --tlscert and --tlskey as well.",
    };
}
