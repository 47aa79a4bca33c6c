using System.CommandLine;
using Broker.Cli.Configuration;
using Broker.Server;

namespace Broker.Cli.CommandLine;

/// <summary>
/// The TLS flags of nats-server. Each of them turns TLS on. <c>--tls=false</c> turns TLS off, even if the file turns it
/// on.
/// </summary>
internal sealed class TlsFlags
{
    private readonly Option<bool> _on = new("--tls") { Description = "Use TLS with clients; needs --tlscert and --tlskey" };

    private readonly Option<string?> _certificate = new("--tlscert")
    {
        Description = "PEM file with the server's certificate, followed by intermediate certificates",
        HelpName = "file",
    };

    private readonly Option<string?> _key = new("--tlskey") { Description = "PEM file with the private key of that certificate", HelpName = "file" };

    private readonly Option<bool> _verify = new("--tlsverify")
    {
        Description = "Use TLS, and accept only clients with a valid certificate",
    };

    private readonly Option<string?> _authority = new("--tlscacert")
    {
        Description = "PEM file with the authorities that sign client certificates [default: the trusted authorities of the system]",
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

        // The file's allow_non_tls, which stands outside of its tls block, also applies to TLS that flags turn on.
        ServerTlsOptions options = settings.Tls ?? new ServerTlsOptions { AllowNonTls = settings.AllowNonTls };
        options = options with
        {
            CertificateFile = ServeSettingsReader.FilePath(flags.GetValue(_certificate), options.CertificateFile),
            KeyFile = ServeSettingsReader.FilePath(flags.GetValue(_key), options.KeyFile),
            ClientAuthorityFile = ServeSettingsReader.FilePath(flags.GetValue(_authority), options.ClientAuthorityFile),
            ClientCertificates = Given(_verify) switch
            {
                true => ClientCertificateMode.Required,
                false when !options.MapUsers => ClientCertificateMode.None,
                _ => options.ClientCertificates,
            },
        };
        return TlsConfig.Load(ref options) is { } problem ? throw new ConfigUnreadableException(problem) : options;

        bool? Given(Option<bool> option) => flags.GetResult(option) is { Implicit: false } ? flags.GetValue(option) : null;
    }
}
