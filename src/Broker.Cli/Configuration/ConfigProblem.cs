namespace Broker.Cli.Configuration;

/// <summary>One thing that is wrong in a configuration file, in one line: what, where and, when it can be guessed, what was meant.</summary>
internal sealed record ConfigProblem(string Message, ConfigPosition Position, string? Meant = null)
{
    public override string ToString() =>
        Meant is null ? $"{Message} at {Position}" : $"{Message} at {Position}, did you mean \"{Meant}\"?";
}
