using System.Text;

namespace Broker.Interop.Tests.Soak;

/// <summary>A message that a subscriber received.</summary>
internal sealed record SoakMessage(string Subject, string Sid, string Reply, string Headers, byte[] Payload)
{
    internal string Text => Encoding.ASCII.GetString(Payload);
}
