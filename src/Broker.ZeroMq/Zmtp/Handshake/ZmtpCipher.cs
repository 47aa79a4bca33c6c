using Broker.Transport;

namespace Broker.ZeroMq;

/// <summary>The encryption that a mechanism applies to all frames after the handshake.</summary>
internal abstract class ZmtpCipher : RecordCipher
{
    /// <summary>Why a record of the peer was refused.</summary>
    internal ZmtpError Error { get; private protected set; }
}
