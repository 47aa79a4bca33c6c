namespace Broker.Cli.Configuration;

/// <summary>
/// The configuration cannot be used. <see cref="Problems"/> holds at least one; a syntax error ends the reading at
/// once, wrong keys and values are collected.
/// </summary>
internal sealed class ConfigException(IReadOnlyList<ConfigProblem> problems) : Exception(problems[0].ToString())
{
    public ConfigException(string message, ConfigPosition position)
        : this([new ConfigProblem(message, position)])
    {
    }

    public IReadOnlyList<ConfigProblem> Problems { get; } = problems;
}
