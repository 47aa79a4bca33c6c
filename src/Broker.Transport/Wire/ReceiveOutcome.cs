namespace Broker.Transport;

internal enum ReceiveOutcome
{
    Received,
    Blocked,
    EndOfStream,
    Failed,
}
