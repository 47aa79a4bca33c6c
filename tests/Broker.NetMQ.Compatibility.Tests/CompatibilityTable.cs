using System.Text;
using System.Text.RegularExpressions;

namespace Broker.NetMQ.Compatibility.Tests;

/// <summary>docs/netmq-compat.md: what became of each public member of NetMQ.</summary>
internal sealed partial class CompatibilityTable
{
    internal const string Begin = "<!-- Written by TableTests with WRITE_TABLE=1; the reasons are kept. -->";

    private readonly SortedDictionary<string, SortedDictionary<string, string>> _real =
        Surface.Read(Path.Combine(CasePrograms.RealFolder, "NetMQ.dll"));

    private readonly SortedDictionary<string, SortedDictionary<string, string>> _ours =
        Surface.Read(Path.Combine(CasePrograms.OursFolder, "Broker.NetMQ.Compatibility.dll"));

    private readonly HashSet<string> _calls = Surface.CallsOf(Path.Combine(CasePrograms.RealFolder, "netmq-cases-real.dll"), "NetMQ");

    /// <summary>The members of ours that NetMQ does not have.</summary>
    internal IEnumerable<string> Added
        => _ours.SelectMany(type => type.Value.Keys.Where(member => !_real.TryGetValue(type.Key, out SortedDictionary<string, string>? members) || !members.ContainsKey(member)).Select(member => $"{type.Key}.{member}"));

    /// <summary>Writes the table anew, with the reasons of the present one.</summary>
    internal string Write(string present)
    {
        Dictionary<string, string> reasons = ReasonsOf(present);
        var text = new StringBuilder();
        int all = 0, same = 0, different = 0;
        foreach ((string type, SortedDictionary<string, string> members) in _real)
        {
            List<string> alike = [];
            List<string> others = [];
            foreach (string member in members.Keys)
            {
                string? reason = reasons.GetValueOrDefault($"{type}.{member}") ?? reasons.GetValueOrDefault($"{type}.*");
                bool isOurs = _ours.TryGetValue(type, out SortedDictionary<string, string>? own) && own.ContainsKey(member);
                if (isOurs && IsAlike(type, member) && !reasons.ContainsKey($"{type}.{member}"))
                {
                    alike.Add($"`{member}`");
                }
                else
                {
                    others.Add($"- {(isOurs ? "different" : "left out")}: `{member}`: {reason ?? "NO REASON"}");
                    different += isOurs ? 1 : 0;
                }
            }

            all += members.Count;
            same += alike.Count;
            Append(text, type, alike, others);
        }

        return $"{Begin}\n\n{all} members of {_real.Count} types: {same} same, {different} different, {all - same - different} left out.\n{text}";
    }

    private static void Append(StringBuilder text, string type, List<string> alike, List<string> others)
    {
        text.Append($"\n### {type}\n\n");
        if (alike.Count > 0)
        {
            text.Append($"same: {string.Join(", ", alike)}\n");
        }

        // A type that is left out as a whole has one line.
        string[] ends = [.. others.Select(line => line.Split("`: ", 2)[1]).Distinct()];
        if (alike.Count == 0 && ends.Length == 1 && others.Count > 1 && others.TrueForAll(line => line.StartsWith("- left out", StringComparison.Ordinal)))
        {
            text.Append($"- left out: `*`: {ends[0]}\n");
        }
        else
        {
            text.Append(alike.Count > 0 && others.Count > 0 ? "\n" : "").Append(string.Concat(others.Select(line => line + "\n")));
        }
    }

    // A member is the same if it has the same form and the cases call it on both libraries, with equal results.
    private bool IsAlike(string type, string member)
    {
        string form = _real[type][member];
        if (_ours[type][member] != form)
        {
            return false;
        }

        bool isConstant = _real[type].ContainsKey("value__") || form.StartsWith("= ", StringComparison.Ordinal);
        string name = member.Split('(', '[')[0];
        return isConstant || IsCalled(type, member) || IsCalled(type, $"get_{name}()") || IsCalled(type, $"add_{name}(EventHandler)")
            || _calls.Any(call => call.StartsWith($"{type}.get_{name}(", StringComparison.Ordinal) || call.StartsWith($"{type}.set_{name}(", StringComparison.Ordinal)
                || call.StartsWith($"{type}.add_{name}(", StringComparison.Ordinal))
            || IsCalledElsewhere(type, member, name);
    }

    private bool IsCalled(string type, string member) => _calls.Contains($"{type}.{member}");

    // An interface is called through its implementations, an override through its base type.
    private bool IsCalledElsewhere(string type, string member, string name)
    {
        bool isInterface = type.Split('.')[^1] is ['I', >= 'A' and <= 'Z', ..];
        return isInterface
            ? _calls.Any(call => call.EndsWith("." + member, StringComparison.Ordinal) || call.Contains($".get_{name}(", StringComparison.Ordinal) || call.Contains($".add_{name}(", StringComparison.Ordinal))
            : (name == "MaximumConcurrencyLevel" && _calls.Contains("*.get_" + name))
                || (name is "ToString" or "Equals" or "GetHashCode" or "TrySend" or "TryReceive" or "GetEnumerator") && _calls.Contains("*." + name);
    }

    private static Dictionary<string, string> ReasonsOf(string present)
    {
        var reasons = new Dictionary<string, string>(StringComparer.Ordinal);
        string type = "";
        foreach (string line in present.Split('\n'))
        {
            if (line.StartsWith("### ", StringComparison.Ordinal))
            {
                type = line[4..];
            }
            else if (Reason().Match(line) is { Success: true } match && !match.Groups[2].Value.Contains("NO REASON", StringComparison.Ordinal))
            {
                reasons[$"{type}.{match.Groups[1].Value}"] = match.Groups[2].Value;
            }
        }

        return reasons;
    }

    [GeneratedRegex("^- (?:different|left out): `([^`]+)`: (.+)$")]
    private static partial Regex Reason();
}
