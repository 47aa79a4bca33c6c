namespace Broker.Cli.Configuration;

/// <summary>One thing that is wrong in a configuration file, in one line: what, where and, when it can be guessed, what was meant.</summary>
/// <param name="Message">What.</param>
/// <param name="Position">Where.</param>
/// <param name="Meant">The key that was meant, of one that is not known.</param>
/// <param name="Known">The keys that could stand there.</param>
internal sealed record ConfigProblem(string Message, ConfigPosition Position, string? Meant = null, IReadOnlyList<string>? Known = null)
{
    public override string ToString() =>
        Meant is null ? $"{Message} at {Position}" : $"{Message} at {Position}, did you mean \"{Meant}\"?";
}
