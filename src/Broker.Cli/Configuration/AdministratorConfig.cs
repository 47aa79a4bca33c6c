using Broker.AspNetCore;
using Broker.Cryptography;

namespace Broker.Cli.Configuration;

/// <summary>
/// Reads the key <c>http_admin</c>: the administrator of the live page. No message shows its values, because any of
/// them may be a misplaced password.
/// </summary>
internal sealed class AdministratorConfig(List<ConfigProblem> problems)
{
    private const string Needs = "\"http_admin\" needs a \"user\" and a \"password\", or a \"token\"";

    public AdministratorSettings? Read(ConfigSection root, AdministratorSettings? otherwise)
    {
        int before = problems.Count;
        return root.Find("http_admin") switch
        {
            null => otherwise,
            ConfigBlock block when Read(new ConfigSection(block, problems, isSecret: true), block) is var read
                => problems.Count == before ? read : null,
            var value => root.Wrong("http_admin", "a block", value, otherwise, isSecret: true),
        };
    }

    private AdministratorSettings Read(ConfigSection section, ConfigBlock block)
    {
        var read = new AdministratorSettings(Text(section, "user"), Text(section, "password"), Text(section, "token"));
        section.RejectTheRest();
        if (read.Token is not null ? read.User is not null || read.PasswordHash is not null : read.User is null || read.PasswordHash is null)
        {
            problems.Add(new ConfigProblem(Needs, block.Position));
        }
        else if (read.Token is { Length: < AdministratorOptions.MinTokenLength or > AdministratorOptions.MaxTokenLength })
        {
            problems.Add(new ConfigProblem(
                $"the \"token\" of \"http_admin\" must have {AdministratorOptions.MinTokenLength} to {AdministratorOptions.MaxTokenLength} characters",
                block.Position));
        }
        else if (read.PasswordHash is { } hash && !new BcryptVerifier().IsValid(hash))
        {
            problems.Add(new ConfigProblem(
                "the \"password\" of \"http_admin\" must be a bcrypt hash, which \"broker passwd\" makes", block.Position));
        }

        return read;
    }

    private static string? Text(ConfigSection section, string key) => section.Find(key) switch
    {
        null => null,
        ConfigText { Value.Length: > 0 } text => text.Value,
        var value => section.Wrong<string?>(key, "a text", value, null),
    };
}
