namespace Broker.Interop.Tests.Streams;

/// <summary>A request of the file requests.txt.</summary>
/// <param name="Line">The number of its line.</param>
/// <param name="Subject">The subject.</param>
/// <param name="Body">The body.</param>
/// <param name="Headers">The headers, separated by semicolons.</param>
/// <param name="IsPreparation">Whether the request prepares others, so that both servers must accept it.</param>
internal sealed record RequestCase(int Line, string Subject, string Body, string Headers, bool IsPreparation)
{
    /// <summary>Our answer, if it differs from that of nats-server.</summary>
    internal string? Ours { get; private init; }

    /// <summary>The reason of the difference.</summary>
    internal string? Why { get; private init; }

    public override string ToString() => $"line {Line}: {Subject} {Body} {Headers}";

    /// <summary>Reads the file. Its first lines say what is in it.</summary>
    internal static List<RequestCase> ReadAll(string file)
    {
        var cases = new List<RequestCase>();
        string[] lines = File.ReadAllLines(file);
        for (int i = 0; i < lines.Length; i++)
        {
            string line = lines[i];
            if (line.StartsWith("  ours: ", StringComparison.Ordinal))
            {
                cases[^1] = cases[^1] with { Ours = line[8..] };
            }
            else if (line.StartsWith("  why: ", StringComparison.Ordinal))
            {
                cases[^1] = cases[^1] with { Why = line[7..] };
            }
            else if (line.Length > 0 && line[0] != '#')
            {
                cases.Add(Parse(i + 1, line));
            }
        }

        return cases;
    }

    private static RequestCase Parse(int number, string line)
    {
        string[] parts = line.Split(" @@ ");
        string request = parts[0].TrimStart('!');
        int space = request.IndexOf(' ', StringComparison.Ordinal);
        string subject = space < 0 ? request : request[..space];
        return new RequestCase(
            number,
            subject.StartsWith('=') ? subject[1..] : $"$JS.API.{subject}",
            space < 0 ? "" : request[(space + 1)..],
            parts.Length > 1 ? parts[1] : "",
            line[0] == '!');
    }
}
