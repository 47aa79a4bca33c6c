using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Client.Streams;

namespace Broker.Cli.Streams;

/// <summary>The flags of all commands about streams: the domain, and how long answers may take.</summary>
internal sealed class StreamsFlags
{
    private static readonly TimeSpan DefaultTimeout = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan MostTimeout = TimeSpan.FromDays(1);

    private readonly Option<string?> _domain = new("--js-domain", "--domain")
    {
        Description = "JetStream domain whose streams are used [default: that of the server]",
        HelpName = "name",
    };

    private readonly Option<string?> _prefix = new("--js-api-prefix")
    {
        Description = "Beginning of the subjects of requests about streams [default: $JS.API]",
        HelpName = "subject",
    };

    private readonly Option<TimeSpan?> _timeout;

    /// <param name="timeout">The description of <c>--timeout</c>, or null for the usual one.</param>
    public StreamsFlags(string? timeout) => _timeout = CommonOptions.Time("--timeout", timeout ?? "How long the server may take for an answer [default: 5s]");

    public void AddTo(Command command)
    {
        foreach (Option option in (Option[])[_timeout, _domain, _prefix])
        {
            command.Options.Add(option);
        }
    }

    /// <summary>Returns the value of <c>--timeout</c>, or null if the flag is not given.</summary>
    public TimeSpan? Timeout(ParseResult flags) => flags.GetValue(_timeout);

    /// <exception cref="UsageException">A value is invalid.</exception>
    public StreamsOptions Read(ParseResult flags)
    {
        string? domain = flags.GetValue(_domain);
        string? prefix = flags.GetValue(_prefix);
        if (domain is not null && prefix is not null)
        {
            throw new UsageException("--js-domain and --js-api-prefix cannot be combined");
        }

        TimeSpan timeout = flags.GetValue(_timeout) ?? DefaultTimeout;
        return timeout <= TimeSpan.Zero || timeout > MostTimeout
            ? throw new UsageException("--timeout must be a time above 0 and at most 24h")
            : new StreamsOptions { Domain = domain, ApiPrefix = prefix, RequestTimeout = timeout, AcknowledgementTimeout = timeout };
    }
}
