namespace Broker.Cli.Configuration;

/// <summary>
/// The configuration is invalid. <see cref="Problems"/> has at least one item. The parser stops at the first syntax
/// error, but all invalid keys and values are collected.
/// </summary>
internal sealed class ConfigException(IReadOnlyList<ConfigProblem> problems) : Exception(problems[0].ToString())
{
    public ConfigException(string message, ConfigPosition position)
        : this([new ConfigProblem(message, position)])
    {
    }

    public IReadOnlyList<ConfigProblem> Problems { get; } = problems;
}
