namespace Broker.ZeroMq.Sockets;

/// <summary>What a socket has counted since it was made, over all peers there were. A moment's truth.</summary>
/// <param name="Peers">Those that have completed their handshake and are connected now.</param>
/// <param name="MessagesReceived">Messages received, those that matched no subscription included.</param>
/// <param name="MessagesSent">Messages put into the queues of peers, each as often as it has one.</param>
/// <param name="MessagesDropped">Messages that peers should have got and did not, for want of room or of the peer.</param>
/// <param name="PendingBytes">Octets that wait for peers that are connected now.</param>
public readonly record struct ZeroMqCounts(int Peers, long MessagesReceived, long MessagesSent, long MessagesDropped, long PendingBytes);
