using System.Text;
using Broker.Protocol;

namespace Broker.Server;

/// <summary>A destination of a mapping, compiled for its source. Immutable.</summary>
internal sealed class SubjectTransform
{
    private readonly TransformToken[] _tokens;

    private SubjectTransform(TransformToken[] tokens) => _tokens = tokens;

    /// <summary>The transform that keeps the subject.</summary>
    internal static SubjectTransform Identity { get; } = new([TransformToken.Tail(0)]);

    /// <summary>
    /// Compiles a destination. Returns null and a problem if the destination does not fit the source.
    /// </summary>
    internal static SubjectTransform? Create(string source, string destination, out string? problem)
    {
        string[] from = source.Split('.');
        string[] to = destination.Split('.');
        int[] wildcards = [.. Enumerable.Range(0, from.Length).Where(i => from[i] is "*")];
        problem = !to.All(IsValid) || Array.IndexOf(to, ">", 0, to.Length - 1) >= 0 ? $"'{destination}' is not a valid subject"
            : ReservedSubjects.ContainsReply(Encoding.UTF8.GetBytes(destination)) ? $"'{destination}' is reserved for the server"
            : from[^1] is ">" && to[^1] is not ">" ? $"the source ends with '>', but '{destination}' does not"
            : from[^1] is not ">" && to[^1] is ">" ? $"'{destination}' ends with '>', but the source does not"
            : null;
        var tokens = new TransformToken[to.Length];
        for (int i = 0; i < to.Length && problem is null; i++)
        {
            tokens[i] = to[i] is ">" ? TransformToken.Tail(from.Length - 1) : TokenParser.Read(to[i], wildcards, out problem)!;
        }

        return problem is null ? new SubjectTransform(tokens) : null;
    }

    // The arguments of a function may have spaces around them.
    private static bool IsValid(string token)
        => token.Length != 0 && (TokenParser.IsCall(token) || !token.AsSpan().ContainsAny(" \t\r\n\0"));

    /// <summary>Appends the subject that a published subject is mapped to.</summary>
    internal void Write(ReadOnlySpan<byte> subject, SubjectBuffer to)
    {
        for (int i = 0; i < _tokens.Length; i++)
        {
            if (i != 0)
            {
                to.Write(Subject.Separator);
            }

            _tokens[i].Write(subject, to);
        }
    }
}
