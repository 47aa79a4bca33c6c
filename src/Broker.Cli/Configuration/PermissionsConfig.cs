using System.Text;
using Broker.Protocol;
using Broker.Server;

namespace Broker.Cli.Configuration;

/// <summary>
/// Reads the permissions of users and accounts. No message shows their values, because any of them may be a misplaced
/// password.
/// </summary>
internal sealed class PermissionsConfig(List<ConfigProblem> problems)
{
    private const string Filters = "a subject or an array of subjects";
    private const string Subscriptions = "a subject, optionally followed by a space and a queue group, or an array of these";

    private static readonly string[] DefaultKeys = ["default_permissions", "default_permission", "permissions"];

    /// <summary>Reads the permissions from the first of the keys that exists.</summary>
    public Permissions? Read(ConfigSection section, params ReadOnlySpan<string> keys)
    {
        Permissions? permissions = null;
        foreach (string key in keys)
        {
            permissions ??= Read(section, key);
            section.Find(key);
        }

        return permissions;
    }

    /// <summary>Reads the permissions of users that have none of their own.</summary>
    public Permissions? ReadDefaults(ConfigSection section) => Read(section, DefaultKeys);

    private Permissions? Read(ConfigSection section, string key)
    {
        switch (section.Find(key))
        {
            case null:
                return null;
            case ConfigBlock block:
                ConfigSection inner = Secretive(block);
                var permissions = new Permissions
                {
                    Publish = Subjects(inner, Filter, Filters, "publish", "pub", "import"),
                    Subscribe = Subjects(inner, FilterWithQueue, Subscriptions, "subscribe", "sub", "export"),
                    Responses = Responses(inner, "allow_responses") ?? Responses(inner, "publish_allow_responses"),
                };
                inner.RejectTheRest();
                return permissions;
            case var value:
                return section.Wrong<Permissions?>(key, "a block", value, null);
        }
    }

    private SubjectPermissions Subjects(
        ConfigSection section, Func<string, string?> convert, string shape, params ReadOnlySpan<string> keys)
    {
        SubjectPermissions? found = null;
        foreach (string key in keys)
        {
            switch (section.Find(key))
            {
                case null:
                    break;
                case ConfigBlock block:
                    ConfigSection inner = Secretive(block);
                    found ??= new SubjectPermissions
                    {
                        Allow = inner.Find("allow") is null ? null : inner.Many("allow", [], shape, convert),
                        Deny = inner.Many("deny", [], shape, convert),
                    };
                    inner.RejectTheRest();
                    break;
                default:
                    found ??= new SubjectPermissions { Allow = section.Many(key, [], shape, convert) };
                    break;
            }
        }

        return found ?? new SubjectPermissions();
    }

    private static string? Filter(string text) => Subject.IsValidFilter(Encoding.UTF8.GetBytes(text)) ? text : null;

    private static string? FilterWithQueue(string text)
        => text.Split(' ', '\t') is [var filter, .. var queue] && queue is [] or [{ Length: > 0 }] && Filter(filter) is not null
            ? text
            : null;

    // By default, a client may publish one response to each request, within two minutes.
    private ResponsePermissions? Responses(ConfigSection section, string key)
    {
        switch (section.Find(key))
        {
            case null or ConfigBoolean { Value: false }:
                return null;
            case ConfigBoolean:
                return new ResponsePermissions();
            case ConfigBlock block:
                var defaults = new ResponsePermissions();
                ConfigSection inner = Secretive(block);
                int max = defaults.MaxMessages;
                foreach (string name in (ReadOnlySpan<string>)["max", "max_msgs", "max_messages", "max_responses"])
                {
                    max = (int)inner.Whole(name, max, -1, int.MaxValue);
                }

                TimeSpan expires = defaults.Expires;
                foreach (string name in (ReadOnlySpan<string>)["expires", "expiration", "ttl"])
                {
                    expires = inner.Span(name, expires);
                }

                var responses = new ResponsePermissions
                {
                    MaxMessages = max == 0 ? defaults.MaxMessages : max,
                    Expires = expires,
                };
                inner.RejectTheRest();
                return responses;
            case var value:
                return section.Wrong<ResponsePermissions?>(key, "true, false or a block", value, null);
        }
    }

    private ConfigSection Secretive(ConfigBlock block) => new(block, problems, isSecret: true);
}
