using System.CommandLine;
using System.Text.Json.Nodes;
using Broker.Cli.Shell;
using Broker.Cli.Streams;

namespace Broker.Cli.Auth;

/// <summary>The flags of an export.</summary>
internal sealed class ExportFlags
{
    private readonly Option<bool?> _private = StorageFlags.Switch("--private", "Whether an account needs an activation to import it");
    private readonly Option<string?> _name = new("--name") { Description = "Name of the export, for readers [default: the subject]", HelpName = "name" };

    private readonly Option<long?> _position = new("--token-position")
    {
        Description = "Position of the * at which an import must have the public key of its account; 0 for none",
        HelpName = "number",
    };

    private readonly Option<string?> _response = StorageFlags.Choice("--response-type", "Responses to a request of a service", "Singleton", "Stream", "Chunked");
    private readonly Option<TimeSpan?> _time = StorageFlags.Time("--response-time", "How long a service may take for its response [default: 2m]");

    public void AddTo(Command command) => command.With(_private, _name, _position, _response, _time);

    /// <summary>Sets the claims of the flags that are given.</summary>
    /// <exception cref="UsageException">A value is invalid.</exception>
    public void ApplyTo(JsonObject export, ParseResult flags)
    {
        string subject = Shares.SubjectOf(export);
        if (flags.GetValue(_name) is { } name)
        {
            export["name"] = Names.Check(name, "--name");
        }

        if (flags.GetValue(_private) is { } isPrivate)
        {
            Set(export, "token_req", isPrivate ? JsonValue.Create(true) : null);
        }

        if (flags.GetValue(_position) is { } position)
        {
            string[] tokens = subject.Split('.');
            if (position != 0 && (position < 0 || position > tokens.Length || tokens[position - 1] != "*"))
            {
                throw new UsageException($"--token-position must be the position of a * in {subject}, or 0");
            }

            Set(export, "account_token_position", position > 0 ? JsonValue.Create(position) : null);
        }

        if (Token.IsTrue(export, "token_req") && Token.NumberOf(export, "account_token_position") > 0)
        {
            throw new UsageException("--private and --token-position cannot be combined: nats-server would ask for no activation");
        }

        ApplyResponse(export, flags);
    }

    private void ApplyResponse(JsonObject export, ParseResult flags)
    {
        string? response = flags.GetValue(_response);
        TimeSpan? time = flags.GetValue(_time);
        if ((response is not null || time is not null) && !Shares.IsService(export))
        {
            throw new UsageException($"{(response is not null ? _response.Name : _time.Name)} needs --type service");
        }

        if (response is not null)
        {
            export["response_type"] = response;
        }

        if (time is { } longest)
        {
            export["response_threshold"] = longest.Ticks * TimeSpan.NanosecondsPerTick;
        }
    }

    private static void Set(JsonObject export, string claim, JsonValue? value)
    {
        if (value is null)
        {
            export.Remove(claim);
        }
        else
        {
            export[claim] = value;
        }
    }
}
