using System.Globalization;
using System.Text;

namespace Broker.Bridge.Tests.Mapping;

/// <summary>Records the commands of an interest set as texts, and the id of each filter.</summary>
internal sealed class CommandLog : IInterestCommands
{
    private readonly List<string> _log = [];

    public Dictionary<string, long> Ids { get; } = new(StringComparer.Ordinal);

    public long LastToken { get; private set; }

    public void Subscribe(long id, ReadOnlySpan<byte> filter)
    {
        string text = Encoding.Latin1.GetString(filter);
        Ids[text] = id;
        _log.Add("+" + text);
    }

    public void Unsubscribe(long id)
        => _log.Add("-" + Ids.SingleOrDefault(pair => pair.Value == id, new(id.ToString(CultureInfo.InvariantCulture), id)).Key);

    public void Barrier(long token)
    {
        LastToken = token;
        _log.Add("?");
    }

    public string Take()
    {
        string text = string.Join(' ', _log);
        _log.Clear();
        return text;
    }
}
