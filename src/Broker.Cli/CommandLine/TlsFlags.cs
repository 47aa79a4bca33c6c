using System.CommandLine;
using Broker.Cli.Configuration;
using Broker.Server;

namespace Broker.Cli.CommandLine;

/// <summary>The flags of TLS, those of nats-server. Any of them puts TLS on; <c>--tls=false</c> puts it off whatever the file says.</summary>
internal sealed class TlsFlags
{
    private readonly Option<bool> _on = new("--tls") { Description = "Speak TLS with clients; needs --tlscert and --tlskey" };

    private readonly Option<string?> _certificate = new("--tlscert")
    {
        Description = "PEM file with the server's certificate, and intermediate ones after it",
        HelpName = "file",
    };

    private readonly Option<string?> _key = new("--tlskey") { Description = "PEM file with its private key", HelpName = "file" };

    private readonly Option<bool> _verify = new("--tlsverify") { Description = "Speak TLS, and let in only who shows a good certificate" };

    private readonly Option<string?> _authority = new("--tlscacert")
    {
        Description = "PEM file with those who sign the certificates of clients [default: whom the system trusts]",
        HelpName = "file",
    };

    public IEnumerable<Option> All => [_on, _certificate, _key, _verify, _authority];

    /// <exception cref="ConfigUnreadableException">A file cannot be used.</exception>
    public ServerTlsOptions? Over(ServeSettings settings, ParseResult flags)
    {
        if (Given(_on) is false)
        {
            return null;
        }

        if (All.All(o => flags.GetResult(o) is not { Implicit: false }))
        {
            return settings.Tls;
        }
        // What the file says beside its block holds for that of the flags too.
        var options = settings.Tls ?? new ServerTlsOptions { AllowNonTls = settings.AllowNonTls };
        options = options with
        {
            CertificateFile = flags.GetValue(_certificate) ?? options.CertificateFile,
            KeyFile = flags.GetValue(_key) ?? options.KeyFile,
            ClientAuthorityFile = flags.GetValue(_authority) ?? options.ClientAuthorityFile,
            ClientCertificates = Given(_verify) switch
            {
                true => ClientCertificateMode.Required,
                false when !options.MapUsers => ClientCertificateMode.None,
                _ => options.ClientCertificates,
            },
        };
        return TlsConfig.Problem(options) is { } problem ? throw new ConfigUnreadableException(problem) : options;

        bool? Given(Option<bool> option) => flags.GetResult(option) is { Implicit: false } ? flags.GetValue(option) : null;
    }
}
