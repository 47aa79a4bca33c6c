using System.CommandLine;
using System.CommandLine.Parsing;
using Broker.Cli.Shell;

namespace Broker.Cli.Top;

/// <summary>The flags of commands that read monitoring pages.</summary>
internal sealed class MonitoringFlags
{
    private const string Default = "http://127.0.0.1:8222";

    private readonly Option<Uri?> _server = new("--server", "-s")
    {
        Description = $"Address of the server's monitoring port [default: {Default}]",
        HelpName = "url",
        CustomParser = ParseServer,
    };

    private readonly Option<string?> _authority = new("--tlscacert")
    {
        Description = "PEM file with the authorities that sign the server's certificate "
            + "[default: the trusted authorities of the system]",
        HelpName = "file",
    };

    public void AddTo(Command command)
    {
        command.Options.Add(_server);
        command.Options.Add(_authority);
    }

    /// <summary>Creates the reader of the pages.</summary>
    /// <exception cref="UsageException">A value is invalid.</exception>
    public MonitoringReader Open(ParseResult flags) => flags.GetValue(_authority) is not "" and var authority
        ? new MonitoringReader(flags.GetValue(_server) ?? new Uri(Default + "/"), authority, TimeProvider.System)
        : throw new UsageException("--tlscacert must name a file");

    private static Uri? ParseServer(ArgumentResult result)
    {
        string text = result.Tokens[0].Value;
        if (Uri.TryCreate(text, UriKind.Absolute, out Uri? uri) && uri is { Scheme: "http" or "https", Host.Length: > 0, Query: "", Fragment: "" })
        {
            return uri.AbsolutePath.EndsWith('/') ? uri : new UriBuilder(uri) { Path = uri.AbsolutePath + "/" }.Uri;
        }

        // The address may have a password.
        string shown = text.Contains('@') ? "" : $", not \"{text}\"";
        result.AddError($"--server must be the address of a monitoring port, such as {Default}{shown}");
        return null;
    }
}
