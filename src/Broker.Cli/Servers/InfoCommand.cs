using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using Broker.Cli.Messaging;
using Broker.Cli.Shell;
using Broker.Cli.Terminal;
using Broker.Client;

namespace Broker.Cli.Servers;

/// <summary><c>broker server info</c>: shows what the server says of itself.</summary>
internal sealed class InfoCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker server info
          broker server info -s nats://127.0.0.1:4222 --json
        """;

    private readonly Option<bool> _json = new("--json") { Description = "Print a JSON object on one line" };

    public Command Build()
    {
        var command = new Command("info", "Shows the server's name, version, limits and features.");
        command.Options.Add(_json);
        return ClientCommand.Complete(command, shell, Examples, static _ => null, reconnects: false, ShowAsync);
    }

    private Task<int> ShowAsync(ClientRun run, ParseResult flags)
    {
        ServerInfo info = run.Connection.ServerInfo ?? throw new IOException("the connection to the server was lost");
        (string Name, object? Value)[] values =
        [
            ("url", run.Connection.Server),
            ("name", info.Name),
            ("id", info.Id),
            ("version", info.Version),
            ("broker_version", info.BrokerVersion),
            ("cluster", info.Cluster),
            ("domain", info.Domain),
            ("max_payload", info.MaxPayload),
            ("headers", info.Headers),
            ("jetstream", info.JetStream),
            ("tls_required", info.TlsRequired),
            ("lame_duck", info.LameDuck),
            ("client_id", info.ClientId),
            ("client_address", info.ClientAddress),
            ("connect_urls", info.ConnectUrls),
        ];
        var lines = new LineOutput(shell);
        if (flags.GetValue(_json))
        {
            lines.WriteJson(json => Write(json, values));
            lines.EndLine();
        }
        else
        {
            foreach ((string name, object? value) in values.Where(static v => v.Value is not (null or IReadOnlyList<string> { Count: 0 })))
            {
                lines.Write(name.PadRight(16) + SafeText.OneLine(Text(value!)));
                lines.EndLine();
            }
        }

        lines.Flush();
        return Task.FromResult(ExitCode.Success);
    }

    private static string Text(object value) => value switch
    {
        bool isTrue => isTrue ? "yes" : "no",
        IReadOnlyList<string> texts => string.Join(' ', texts),
        _ => Convert.ToString(value, CultureInfo.InvariantCulture)!,
    };

    private static void Write(Utf8JsonWriter json, IEnumerable<(string Name, object? Value)> values)
    {
        json.WriteStartObject();
        foreach ((string name, object? value) in values)
        {
            switch (value)
            {
                case bool isTrue:
                    json.WriteBoolean(name, isTrue);
                    break;
                case long number:
                    json.WriteNumber(name, number);
                    break;
                case ulong number:
                    json.WriteNumber(name, number);
                    break;
                case IReadOnlyList<string> texts:
                    json.WriteStartArray(name);
                    foreach (string text in texts)
                    {
                        json.WriteStringValue(text);
                    }

                    json.WriteEndArray();
                    break;
                default:
                    json.WriteString(name, (string?)value);
                    break;
            }
        }

        json.WriteEndObject();
    }
}
